import { expect } from 'chai'
import { ANNOTATION, SNOOZE_KEY, type Kind } from '../../src/domain/workload/workload.ts'
import { describeKubectlOnBoth } from '../support/clusters.ts'
import { enforced, type Enforced } from '../support/enforced.ts'
import { eventually } from '../support/eventually.ts'
import { manifest } from '../support/manifests.ts'
import { revisionsOf } from './revisions.ts'
import { bring, casesOf, judged, typed, type Act } from './verdicts.ts'

/**
 * Act, by each path through the API server         | awake | asleep | pinned awake | overridden asleep;
 * test/domain/admission/verdicts.test.ts has all kinds and states.
 */
const COUNTS = `
  scale to 5                   | allowed 5     | allowed 5        | denied            | denied
  scale to what it keeps       | allowed       | allowed 3        | allowed           | denied
  patch to 5                   | allowed 5     | warned 0 keeps 5 | denied            | denied
  edit to 5                    | allowed 5     | warned 0 keeps 5 | denied            | denied
  apply 5                      | allowed 5     | warned 0 keeps 5 | denied            | denied
  replace by 5                 | warned 5      | warned 0 keeps 5 | denied            | denied
  set the image and 5 replicas | allowed 5 app:2 | warned 0 keeps 5 app:2 | warned 3 pinned app:2 | warned 0 keeps 3 overridden app:2
  set the image                | allowed 3 app:2 | warned 0 keeps 3 app:2 | allowed 3 pinned app:2 | warned 0 keeps 3 overridden app:2
  restart                      | allowed       | warned           | allowed           | warned
`
const SERVER_SIDE = `
  server-side apply 5, forced  | allowed 5     | warned 0 keeps 5 | denied            | denied
`
/** The older revision has the marks from before it was snoozed, pinned or overridden. */
const UNDONE = `
  undo                         | allowed       | warned           | warned            | warned
`
const KEYS = `
  put our key on               | warned        | allowed          | denied            | allowed
  take our key away            | allowed       | allowed 3        | allowed           | denied
  take our key away and set the image | allowed 3 app:2 | warned 0 keeps 3 app:2 | allowed 3 pinned app:2 | warned 0 keeps 3 overridden app:2
  replace                      | warned        | warned           | warned            | warned
`
const SUSPENSIONS = `
  suspend                      | allowed 0     | allowed          | denied            | allowed
  resume                       | allowed       | allowed 1        | allowed           | denied
  apply resumed                | allowed       | warned 0 keeps 1 | allowed           | warned
  resume and set the image     | allowed 1 app:2 | warned 0 keeps 1 app:2 | allowed 1 pinned app:2 | warned 0 keeps 1 overridden app:2
`
const MARKS = `
  write another state          | warned        | warned           | warned            | warned
  remove the state             | warned        | warned           | warned            | warned
  disable                      | allowed 3 off | allowed 3 off    | denied            | denied
  write a broken schedule      | denied        | denied           | denied            | denied
  write a schedule of all day  | allowed 3 at 0:00-24:00 | allowed 3 at 0:00-24:00 | allowed 3 pinned at 0:00-24:00 | allowed 0 keeps 3 overridden at 0:00-24:00
`

const ACTS: Readonly<Record<string, Act>> = {
  'scale to 5': (on, kind, name) => kubectl(on, 'scale', typed(kind, name), '--replicas=5'),
  'scale to what it keeps': (on, kind, name) => kubectl(on, 'scale', typed(kind, name), '--replicas=3'),
  'patch to 5': (on, kind, name) => patch(on, kind, name, { spec: { replicas: 5 } }),
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
  'take our key away': (on, kind, name) => patch(on, kind, name, ourKey(null)),
  'take our key away and set the image': (on, kind, name) =>
    patch(on, kind, name, {
      spec: { template: { spec: { ...ourKey(null).spec.template.spec, ...image.spec } } },
    }),
  'write another state': (on, kind, name) => annotate(on, kind, name, `${ANNOTATION.state}={"v":2}`),
  'remove the state': (on, kind, name) => annotate(on, kind, name, `${ANNOTATION.state}-`),
  disable: (on, kind, name) => annotate(on, kind, name, `${ANNOTATION.enabled}=false`),
  'write a broken schedule': (on, kind, name) =>
    annotate(on, kind, name, `${ANNOTATION.schedule}=8:00-25:00`),
  'write a schedule of all day': (on, kind, name) =>
    annotate(on, kind, name, `${ANNOTATION.schedule}=0:00-24:00`),
  suspend: (on, kind, name) => patch(on, kind, name, { spec: { suspend: true } }),
  resume: (on, kind, name) => patch(on, kind, name, { spec: { suspend: false } }),
  'apply resumed': (on, _, name) => on.withFile('apply', resumed(name)),
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

describeKubectlOnBoth('enforcement', function (on) {
  this.timeout(180_000)
  const here = enforced(on)

  const tables: readonly [string, string, Kind][] = [
    ['counts', COUNTS, 'deployments'],
    ["a DaemonSet's key", KEYS, 'daemonsets'],
    ["a CronJob's suspension", SUSPENSIONS, 'cronjobs'],
    ['marks', MARKS, 'statefulsets'],
  ]
  for (const [title, table, kind] of tables)
    it(`${title}: verdict and final object of each case of the table`, async () => {
      // The sandbox refuses server-side apply with a 415.
      const rows = on().isReal && kind === 'deployments' ? table + SERVER_SIDE.slice(1) : table
      const cases = casesOf(rows, kind)
      await bring(here, cases, kind)
      await judged(here, cases, kind, ACTS)
    })

  it('kubectl rollout undo takes the pods back and none of the marks', async () => {
    const cases = casesOf(UNDONE, 'deployments')
    await bring(here, cases, 'undo', async (kind, name) => {
      await eventually('the marks to be copied to the first revision', async () => {
        const items = await revisionsOf(here, name)
        return items.some(({ metadata }) => metadata.annotations?.[ANNOTATION.enabled])
      })
      expect(await ACTS['set the image']?.(here, kind, name)).to.include({ code: 0 })
      await here.settled(kind, name)
    })
    await judged(here, cases, 'undo', ACTS)
  })
})
