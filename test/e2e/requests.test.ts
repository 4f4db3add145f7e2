import { expect } from 'chai'
import type { Kind } from '../../src/domain/workload/workload.ts'
import { REQUEST_ANNOTATION } from '../../src/domain/requests/annotation.ts'
import { describeKubectlOnBoth } from '../support/clusters.ts'
import { enforced, type Enforced } from '../support/enforced.ts'
import { eventually } from '../support/eventually.ts'
import { manifest } from '../support/manifests.ts'
import { marksOf } from './agreement.ts'
import { bring, casesOf, judged, typed, warningsOf, type Act } from './verdicts.ts'

const COUNT = 3

/**
 * Request            | awake            | asleep           | pinned awake    | overridden asleep;
 * test/domain/admission has all verbs, kinds and states.
 */
const MOVES = `
  wake                    | warned           | warned 3         | denied          | warned 3 overridden
  snooze                  | warned 0 keeps 3 | warned           | denied          | warned
`
const HOLDS = `
  pin                     | warned 3 pinned  | warned 0 keeps 3 pinned | warned   | warned 0 keeps 3 pinned overridden
  unpin                   | warned           | warned           | warned 3        | warned
  override 5h             | warned 3 overridden | warned 0 keeps 3 overridden | warned 3 pinned overridden | warned
  resume                  | warned           | warned           | warned          | warned 0 keeps 3
  snoze                   | denied           | denied           | denied          | denied
`
/** Writes of another path, or of more, in which a request does not count. */
const OTHERWISE = `
  wake, and set the image | warned 3 app:2 | warned 3 app:2 | warned 3 pinned app:2 | warned 3 overridden app:2
  wake, by the status     | warned           | warned           | warned          | warned
  wake, by apply          | warned           | warned           | warned          | warned
  wake, with a state      | warned           | warned           | warned          | warned
`
const SERVER_SIDE = `
  wake, by server-side apply | warned           | warned           | warned          | warned
`

const image = { spec: { containers: [{ name: 'app', image: 'app:2' }] } }

function templated(kind: Kind): object {
  return kind === 'cronjobs' ? { jobTemplate: { spec: { template: image } } } : { template: image }
}

function asking(request: string, rest: object = {}): object {
  return { metadata: { annotations: { [REQUEST_ANNOTATION]: request } }, ...rest }
}

const patch = (on: Enforced, kind: Kind, name: string, body: object, ...args: string[]) =>
  on.attempt('patch', typed(kind, name), '-p', JSON.stringify(body), ...args)
const annotate = (on: Enforced, kind: Kind, name: string, text: string, ...args: string[]) =>
  on.attempt('annotate', '--overwrite', typed(kind, name), text, ...args)
const ask = (on: Enforced, kind: Kind, name: string, request: string, ...args: string[]) =>
  annotate(on, kind, name, `${REQUEST_ANNOTATION}=${request}`, ...args)
const apply = (on: Enforced, kind: Kind, name: string, ...args: string[]) =>
  on.withFile(
    'apply',
    manifest(kind, name, { replicas: COUNT, annotations: { [REQUEST_ANNOTATION]: 'wake' } }),
    ...args,
  )

const SPECIAL: Readonly<Record<string, Act>> = {
  'wake, and set the image': (on, kind, name) =>
    patch(on, kind, name, asking('wake', { spec: templated(kind) })),
  'wake, by the status': (on, kind, name) =>
    patch(on, kind, name, asking('wake'), '--type=merge', '--subresource=status'),
  'wake, by apply': (on, kind, name) => apply(on, kind, name),
  'wake, by server-side apply': (on, kind, name) =>
    apply(on, kind, name, '--server-side', '--force-conflicts'),
  'wake, with a state': (on, kind, name) =>
    on.attempt(
      ...['annotate', '--overwrite', typed(kind, name)],
      ...[`${REQUEST_ANNOTATION}=wake`, 'dormouse.dev/state={"v":1}'],
    ),
}
const ACTS: Readonly<Record<string, Act>> = {
  ...Object.fromEntries(
    ['wake', 'snooze', 'pin', 'unpin', 'override 5h', 'resume', 'snoze'].map((request) => [
      request,
      (on: Enforced, kind: Kind, name: string) => ask(on, kind, name, request),
    ]),
  ),
  ...SPECIAL,
}

describeKubectlOnBoth('a request by annotation', function (on) {
  this.timeout(180_000)
  const here = enforced(on)
  const get = (name: string) => here.get('deployments', name)

  const tables: readonly [string, string, Kind][] = [
    ['wake and snooze', MOVES, 'deployments'],
    ['wake and snooze', MOVES.replaceAll(/(warned|keeps) 3/g, '$1 1'), 'cronjobs'],
    ['pin, unpin, override, resume', HOLDS, 'statefulsets'],
    ['what does not count', OTHERWISE, 'replicasets'],
  ]
  for (const [title, table, kind] of tables)
    it(`${title} of ${kind}: verdict and final object of each case of the table`, async () => {
      // The sandbox refuses server-side apply with a 415.
      const rows = on().isReal && table === OTHERWISE ? table + SERVER_SIDE.slice(1) : table
      const cases = casesOf(rows, kind)
      await bring(here, cases, kind)
      await judged(here, cases, kind, ACTS)
      for (const { metadata } of await here.list(kind))
        expect(metadata.annotations ?? {}, metadata.name).to.not.have.property(REQUEST_ANNOTATION)
    })

  it('a manifest in Git that carries one for ever wakes nothing, at no sync', async () => {
    await here.asleep('deployments', 'synced', { replicas: COUNT })
    const { state } = marksOf(await get('synced'))
    for (let sync = 0; sync < 2; sync += 1) {
      const result = await apply(here, 'deployments', 'synced')
      expect(warningsOf(result).join(), result.stderr).to.match(/each sync sends again: take it out/)
      const object = await get('synced')
      expect(object.metadata.annotations).to.not.have.property(REQUEST_ANNOTATION)
      expect(marksOf(object)).to.deep.include({ replicas: 0, label: String(COUNT), state })
    }
    expect(await ask(here, 'deployments', 'synced', 'wake 2h')).to.include({ code: 0 })
    expect(marksOf(await get('synced'))).to.include({ replicas: COUNT })
  })

  it('names the user in state, history, Event and audit line, and answers by a warning', async () => {
    const workload = await here.asleep('deployments', 'named', { replicas: COUNT })
    const result = await ask(
      here,
      'deployments',
      'named',
      'wake 4h',
      '--as=jane',
      '--as-group=system:masters',
    )
    expect(result.code, result.stderr).to.equal(0)
    const [says] = warningsOf(result)
    expect(says).to.match(
      /Dormouse: deployment \S+\/named woken to 3 replicas for 4h, until \S+.*: awake by request of jane/,
    )
    const { state, replicas, label } = marksOf(await get('named'))
    expect([replicas, label]).to.deep.equal([COUNT, undefined])
    expect(state?.history[0]).to.include({ type: 'wake', trigger: 'api', by: 'k8s:jane' })
    const record = await eventually('the API to know', async () => {
      const status = await workload.status()
      return status.operation_history[0]?.by === 'k8s:jane' && status
    })
    expect(record).to.include({ is_snoozed: false, wake_requested: true })
    await eventually('the Event and the audit line', async () => {
      const events = (await here.events('named')).filter(({ reason }) => reason === 'Woken')
      const lines = here.dormouse.log.filter(({ msg, asked }) => msg === 'audit' && asked === 'wake 4h')
      expect(lines.length).to.be.at.most(1)
      return (
        events.some(({ message }) => message.includes('Woken to 3 replicas by jane, on request')) &&
        lines[0]?.by === 'k8s:jane'
      )
    })
    // The wake ends, and the count may be applied again: no manager holds it.
    await here.settled('deployments', 'named')
    if (!here.cluster.isReal) return
    const applied = await here.withFile(
      'apply',
      manifest('deployments', 'named', { replicas: 4 }),
      ...['--server-side', '--field-manager=argocd-controller'],
    )
    expect(applied.stderr).to.not.match(/conflict with "kubectl-annotate"[^\n]*\n[^\n]*replicas/)
  })

  it('an undo does not repeat one that is long done', async () => {
    const workload = await here.enabled('deployments', 'undone', { replicas: COUNT })
    await workload.snooze('?wait=60s')
    await ask(here, 'deployments', 'undone', 'wake')
    await here.settled('deployments', 'undone')
    expect(await here.attempt('set', 'image', 'deployment/undone', 'app=app:2')).to.include({ code: 0 })
    await here.settled('deployments', 'undone')
    await ask(here, 'deployments', 'undone', 'snooze')
    const before = marksOf(await get('undone'))
    expect(await here.attempt('rollout', 'undo', 'deployment/undone')).to.include({ code: 0 })
    const after = marksOf(await get('undone'))
    expect([after.replicas, after.label]).to.deep.equal([0, '3'])
    expect(after.state?.request).to.deep.equal(before.state?.request)
  })

  describe('while the webhook is away', () => {
    after(() => here.balancer.to([here.port]))

    it('is removed by the leader with an Event, and never carried out', async () => {
      await here.asleep('deployments', 'missed', { replicas: COUNT })
      here.balancer.to([], { cut: true })
      const { code, stderr } = await ask(here, 'deployments', 'missed', 'wake')
      expect(code, stderr).to.equal(0)
      await eventually('the request to be removed', async () => {
        const { metadata } = await get('missed')
        return metadata.annotations?.[REQUEST_ANNOTATION] === undefined
      })
      await eventually('the Event', async () =>
        (await here.events('missed')).some(({ reason }) => reason === 'RequestIgnored'),
      )
      const { state, ...marks } = marksOf(await get('missed'))
      expect(marks).to.include({ replicas: 0, label: '3' })
      expect(state?.request).to.equal(undefined)
    })
  })
})
