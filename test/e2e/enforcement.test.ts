import { expect } from 'chai'
import { ASLEEP_LABEL, ANNOTATION, KINDS, SNOOZE_KEY, type Kind } from '../../src/domain/workload/workload.ts'
import { describeOnBoth } from '../support/clusters.ts'
import { enforced, type Enforced } from '../support/enforced.ts'
import { eventually } from '../support/eventually.ts'
import { manifest } from '../support/manifests.ts'
import { revisionsOf } from './revisions.ts'
import { bring, casesOf, judged, typed, type Act } from './verdicts.ts'

const SCALED: readonly Kind[] = ['deployments', 'statefulsets', 'replicasets']
const OTHERS: readonly Kind[] = ['daemonsets']

/**
 * What is done               | unmanaged     | awake         | asleep           | pinned awake      | pinned
 * asleep           | overridden awake      | overridden asleep
 */
const COUNTS = `
  scale to 5                   | allowed 5 off | allowed 5     | allowed 5        | denied            | denied                  | denied                | denied
  scale to 0                   | allowed 0 off | allowed 0     | allowed          | denied            | allowed                 | denied                | allowed
  scale to what it keeps       | allowed       | allowed       | allowed 3        | allowed           | denied                  | allowed               | denied
  patch to 5                   | allowed 5 off | allowed 5     | warned 0 keeps 5 | denied            | denied                  | denied                | denied
  patch to what it keeps       | allowed       | allowed       | warned           | allowed           | warned                  | allowed               | warned
  edit to 5                    | allowed 5 off | allowed 5     | warned 0 keeps 5 | denied            | denied                  | denied                | denied
  apply 5                      | allowed 5 off | allowed 5     | warned 0 keeps 5 | denied            | denied                  | denied                | denied
  replace by 5                 | allowed 5 off | warned 5      | warned 0 keeps 5 | denied            | denied                  | denied                | denied
  set the image and 5 replicas | allowed 5 off app:2 | allowed 5 app:2 | warned 0 keeps 5 app:2 | warned 3 pinned app:2 | warned 0 keeps 3 pinned app:2 | warned 3 overridden app:2 | warned 0 keeps 3 overridden app:2
  set the image                | allowed 3 off app:2 | allowed 3 app:2 | warned 0 keeps 3 app:2 | allowed 3 pinned app:2 | warned 0 keeps 3 pinned app:2 | allowed 3 overridden app:2 | warned 0 keeps 3 overridden app:2
`

/** ReplicaSets have no rollouts. */
const ROLLOUTS = `
  restart                      | allowed       | allowed       | warned           | allowed           | warned                  | allowed               | warned
`

/** The older revision has the marks from before it was snoozed, pinned or overridden. */
const UNDONE = `
  undo                         | allowed       | allowed       | warned           | warned            | warned                  | warned                | warned
`

/** Revisions of these kinds have no annotations. A sleeping DaemonSet's latest revision differs only by our key. */
const UNDONE_TEMPLATES: Partial<Record<Kind, string>> = {
  statefulsets: `
  undo                         | allowed       | allowed       | warned           | allowed           | warned                  | allowed               | warned
`,
  daemonsets: `
  undo                         | allowed       | allowed       | allowed 3 app:2  | allowed           | denied 0 keeps 3 pinned app:2 | allowed         | denied 0 keeps 3 overridden app:2
`,
}

const KEYS = `
  put our key on               | -             | warned        | allowed          | denied            | allowed                 | denied                | allowed
  take our key away            | allowed       | allowed       | allowed 3        | allowed           | denied                  | allowed               | denied
  take our key away and set the image | allowed 3 off app:2 | allowed 3 app:2 | warned 0 keeps 3 app:2 | allowed 3 pinned app:2 | warned 0 keeps 3 pinned app:2 | allowed 3 overridden app:2 | warned 0 keeps 3 overridden app:2
  give our key another value   | -             | warned        | allowed          | denied            | allowed                 | denied                | allowed
  replace                      | allowed       | warned        | warned           | warned            | warned                  | warned                | warned
`

const MARKS = `
  write another state          | warned        | warned        | warned           | warned            | warned                  | warned                | warned
  remove the state             | allowed       | warned        | warned           | warned            | warned                  | warned                | warned
  write another kept count     | -             | warned        | warned           | warned            | warned                  | warned                | warned
  disable                      | allowed       | allowed 3 off | allowed 3 off    | denied            | denied                  | denied                | denied
  remove enabled               | allowed       | allowed 3 off | allowed 3 off    | denied            | denied                  | denied                | denied
  write enabled=maybe          | denied        | denied        | denied           | denied            | denied                  | denied                | denied
  write a broken schedule      | denied        | denied        | denied           | denied            | denied                  | denied                | denied
  write a broken zone          | denied        | denied        | denied           | denied            | denied                  | denied                | denied
  write a schedule of all day  | warned 3 off at 0:00-24:00 | allowed 3 at 0:00-24:00 | allowed 3 at 0:00-24:00 | allowed 3 pinned at 0:00-24:00 | allowed 0 keeps 3 pinned at 0:00-24:00 | allowed 3 overridden at 0:00-24:00 | allowed 0 keeps 3 overridden at 0:00-24:00
`

const SUSPENSIONS = `
  suspend                      | allowed 0 off | allowed 0     | allowed          | denied            | allowed                 | denied                | allowed
  resume                       | allowed       | allowed       | allowed 1        | allowed           | denied                  | allowed               | denied
  apply resumed                | allowed       | allowed       | warned 0 keeps 1 | allowed           | warned                  | allowed               | warned
  resume and set the image     | allowed 1 off app:2 | allowed 1 app:2 | warned 0 keeps 1 app:2 | allowed 1 pinned app:2 | warned 0 keeps 1 pinned app:2 | allowed 1 overridden app:2 | warned 0 keeps 1 overridden app:2
`

const SUSPENSIONS_SERVER_SIDE = `
  server-side apply resumed, forced | allowed   | allowed       | warned 0 keeps 1 | allowed           | warned                  | allowed               | warned
`

const SERVER_SIDE = `
  server-side apply 5, forced  | allowed 5 off | allowed 5     | warned 0 keeps 5 | denied            | denied                  | denied                | denied
`

const ACTS: Readonly<Record<string, Act>> = {
  'scale to 5': (on, kind, name) => kubectl(on, 'scale', typed(kind, name), '--replicas=5'),
  'scale to 0': (on, kind, name) => kubectl(on, 'scale', typed(kind, name), '--replicas=0'),
  'scale to what it keeps': (on, kind, name) => kubectl(on, 'scale', typed(kind, name), '--replicas=3'),
  'patch to 5': (on, kind, name) => patch(on, kind, name, { spec: { replicas: 5 } }),
  'patch to what it keeps': (on, kind, name) => patch(on, kind, name, { spec: { replicas: 3 } }),
  'edit to 5': (on, kind, name) =>
    on.cluster.kubectl.attempt(['edit', typed(kind, name), '-n', on.namespace], '', {
      KUBE_EDITOR: `sed -i 's/^  replicas: .*/  replicas: 5/'`,
    }),
  'apply 5': (on, kind, name) => withFile(on, 'apply', kind, name, 5),
  'replace by 5': (on, kind, name) => withFile(on, 'replace', kind, name, 5),
  replace: (on, kind, name) => withFile(on, 'replace', kind, name, 3),
  'set the image and 5 replicas': (on, kind, name) =>
    patch(on, kind, name, { spec: { replicas: 5, template: image } }),
  'set the image': (on, kind, name) => kubectl(on, 'set', 'image', typed(kind, name), 'app=app:2'),
  restart: (on, kind, name) => kubectl(on, 'rollout', 'restart', typed(kind, name)),
  undo: (on, kind, name) => kubectl(on, 'rollout', 'undo', typed(kind, name)),
  'put our key on': (on, kind, name) => patch(on, kind, name, ourKey('true')),
  'give our key another value': (on, kind, name) => patch(on, kind, name, ourKey('false')),
  'take our key away': (on, kind, name) => patch(on, kind, name, ourKey(null)),
  'take our key away and set the image': (on, kind, name) =>
    patch(on, kind, name, {
      spec: { template: { spec: { ...ourKey(null).spec.template.spec, ...image.spec } } },
    }),
  'write another state': (on, kind, name) => annotate(on, kind, name, `${ANNOTATION.state}={"v":2}`),
  'remove the state': (on, kind, name) => annotate(on, kind, name, `${ANNOTATION.state}-`),
  'write another kept count': (on, kind, name) =>
    kubectl(on, 'label', '--overwrite', typed(kind, name), `${ASLEEP_LABEL}=7`),
  disable: (on, kind, name) => annotate(on, kind, name, `${ANNOTATION.enabled}=false`),
  'remove enabled': (on, kind, name) => annotate(on, kind, name, `${ANNOTATION.enabled}-`),
  'write enabled=maybe': (on, kind, name) => annotate(on, kind, name, `${ANNOTATION.enabled}=maybe`),
  'write a broken schedule': (on, kind, name) =>
    annotate(on, kind, name, `${ANNOTATION.schedule}=8:00-25:00`),
  'write a broken zone': (on, kind, name) => annotate(on, kind, name, `${ANNOTATION.timezone}=Mars/Olympus`),
  'write a schedule of all day': (on, kind, name) =>
    annotate(on, kind, name, `${ANNOTATION.schedule}=0:00-24:00`),
  suspend: (on, kind, name) => patch(on, kind, name, { spec: { suspend: true } }),
  resume: (on, kind, name) => patch(on, kind, name, { spec: { suspend: false } }),
  'apply resumed': (on, _, name) => on.withFile('apply', resumed(name)),
  'server-side apply resumed, forced': (on, _, name) =>
    on.withFile('apply', resumed(name), '--server-side', '--force-conflicts'),
  'resume and set the image': (on, kind, name) =>
    patch(on, kind, name, { spec: { suspend: false, jobTemplate: { spec: { template: image } } } }),
  'server-side apply 5, forced': (on, kind, name) =>
    withFile(on, 'apply', kind, name, 5, '--server-side', '--force-conflicts'),
}

const image = { spec: { containers: [{ name: 'app', image: 'app:2' }] } }

function resumed(name: string): object {
  const object = manifest('cronjobs', name)
  return { ...object, spec: { ...object.spec, suspend: false } }
}

/** A table for a kind that counts 1 where others have 3 replicas. */
function tableFor(kind: Kind, table: string): string {
  return kind === 'cronjobs' ? table.replaceAll(/(allowed|warned|keeps) 3/g, '$1 1') : table
}

function ourKey(value: string | null) {
  return { spec: { template: { spec: { nodeSelector: { [SNOOZE_KEY]: value } } } } }
}

const kubectl = (on: Enforced, ...args: string[]) => on.attempt(...args)
const annotate = (on: Enforced, kind: Kind, name: string, annotation: string) =>
  kubectl(on, 'annotate', '--overwrite', typed(kind, name), annotation)
const patch = (on: Enforced, kind: Kind, name: string, body: object) =>
  kubectl(on, 'patch', typed(kind, name), '-p', JSON.stringify(body))
const withFile = (
  on: Enforced,
  verb: string,
  kind: Kind,
  name: string,
  replicas: number,
  ...args: string[]
) => on.withFile(verb, manifest(kind, name, { replicas }), ...args)

describeOnBoth('enforcement', function (on) {
  this.timeout(180_000)
  const here = enforced(on)

  const tables: readonly [string, string, readonly Kind[], string][] = [
    ['counts', COUNTS, SCALED, 'c'],
    ['rollouts', ROLLOUTS, ['deployments', 'statefulsets', 'daemonsets'], 'r'],
    ["a DaemonSet's key", KEYS, OTHERS, 'k'],
    ["a CronJob's suspension", SUSPENSIONS, ['cronjobs'], 's'],
    ['marks', MARKS, KINDS, 'm'],
  ]
  for (const [title, table, kinds, prefix] of tables) {
    for (const kind of kinds) {
      it(`${title} of ${kind}: verdict and final object of each case of the table`, async () => {
        const cases = casesOf(tableFor(kind, table), [kind])
        await bring(here, cases, `${prefix}-${kind}`)
        await judged(here, cases, `${prefix}-${kind}`, ACTS)
      })
    }
  }

  it('kubectl rollout undo takes the pods back and none of the marks', async () => {
    const cases = casesOf(UNDONE, ['deployments'])
    await bring(here, cases, 'undo', async (kind, name, state) => {
      await eventually('the marks to be copied to the first revision', async () => {
        const items = await revisionsOf(here, name)
        return (
          state === 'unmanaged' || items.some(({ metadata }) => metadata.annotations?.[ANNOTATION.enabled])
        )
      })
      expect(await ACTS['set the image']?.(here, kind, name)).to.include({ code: 0 })
      await here.settled(kind, name)
    })
    await judged(here, cases, 'undo', ACTS)
  })

  for (const [kind, table] of Object.entries(UNDONE_TEMPLATES) as [Kind, string][]) {
    it(`kubectl rollout undo of ${kind}, which touches the template alone`, async function () {
      if (!here.cluster.isReal) {
        process.stdout.write('      skipped on the sandbox, which keeps no ControllerRevisions\n')
        return this.skip()
      }
      const cases = casesOf(table, [kind])
      await bring(here, cases, `undo-${kind}`, async (_, name) => {
        expect(await ACTS['set the image']?.(here, kind, name)).to.include({ code: 0 })
        await here.settled(kind, name)
      })
      await judged(here, cases, `undo-${kind}`, ACTS)
    })
  }

  it('a forced server-side apply of each case of the table, where there is one', async function () {
    if (!here.cluster.isReal) {
      process.stdout.write('      skipped on the sandbox, which refuses server-side apply with a 415\n')
      return this.skip()
    }
    for (const kind of SCALED) {
      const cases = casesOf(SERVER_SIDE, [kind])
      await bring(here, cases, `s-${kind}`)
      await judged(here, cases, `s-${kind}`, ACTS)
    }
    const cases = casesOf(SUSPENSIONS_SERVER_SIDE, ['cronjobs'])
    await bring(here, cases, 'ss-cronjobs')
    await judged(here, cases, 'ss-cronjobs', ACTS)
  })
})
