import { expect } from 'chai'
import { KINDS, type Kind } from '../../src/domain/workload/workload.ts'
import { REQUEST_ANNOTATION } from '../../src/domain/requests/annotation.ts'
import { describeOnBoth } from '../support/clusters.ts'
import { enforced, type Enforced } from '../support/enforced.ts'
import { eventually } from '../support/eventually.ts'
import type { KubectlObject } from '../support/kubectl.ts'
import { manifest } from '../support/manifests.ts'
import { marksOf } from './agreement.ts'
import { bring, casesOf, judged, typed, warningsOf, type Act } from './verdicts.ts'

const COUNT = 3

/** What is asked | unmanaged | awake | asleep | pinned awake | pinned asleep | overridden awake | overridden asleep */
const MOVES = `
  wake                    | denied       | warned           | warned 3         | denied          | denied                 | warned                      | warned 3 overridden
  snooze                  | denied       | warned 0 keeps 3 | warned           | denied          | denied                 | warned 0 keeps 3 overridden | warned
`
const HOLDS = `
  pin                     | denied       | warned 3 pinned  | warned 0 keeps 3 pinned | warned   | warned                 | warned 3 pinned overridden  | warned 0 keeps 3 pinned overridden
  unpin                   | warned       | warned           | warned           | warned 3        | warned 0 keeps 3       | warned                      | warned
  override 5h             | denied       | warned 3 overridden | warned 0 keeps 3 overridden | warned 3 pinned overridden | warned 0 keeps 3 pinned overridden | warned | warned
  resume                  | warned       | warned           | warned           | warned          | warned                 | warned 3                    | warned 0 keeps 3
  snoze                   | denied       | denied           | denied           | denied          | denied                 | denied                      | denied
`
const NOT_COUNTING = `
  wake, and set the image | warned 3 off app:2 | warned 3 app:2 | warned 3 app:2 | warned 3 pinned app:2 | warned 0 keeps 3 pinned app:2 | warned 3 overridden app:2 | warned 3 overridden app:2
  wake, by the status     | warned       | warned           | warned           | warned          | warned                 | warned                      | warned
  wake, by apply          | warned       | warned           | warned           | warned          | warned                 | warned                      | warned
  wake, with a state      | warned       | warned           | warned           | warned          | warned                 | warned                      | warned
  wake, an hour ago       | warned       | warned           | warned           | warned          | warned                 | warned                      | warned
`
const SERVER_SIDE = `
  wake, by server-side apply | warned    | warned           | warned           | warned          | warned                 | warned                      | warned
`

const image = { spec: { containers: [{ name: 'app', image: 'app:2' }] } }

/** All fields but those that controllers write later. */
function written({ metadata: { annotations, labels, generation }, spec }: KubectlObject): object {
  return { annotations, labels, generation, spec }
}

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
  'wake, an hour ago': (on, kind, name) =>
    ask(on, kind, name, `wake @${new Date(Date.now() - 3_600_000).toISOString()}`),
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

function tableFor(kind: Kind, table: string): string {
  return kind === 'cronjobs' ? table.replaceAll(/(warned|keeps) 3/g, '$1 1') : table
}

describeOnBoth('a request by annotation', function (on) {
  this.timeout(180_000)
  const here = enforced(on)
  const get = (name: string) => here.get('deployments', name)

  const tables: readonly [string, string, readonly Kind[], string][] = [
    ['wake and snooze', MOVES, KINDS, 'w'],
    ['pin, unpin, override, resume', HOLDS, ['deployments', 'daemonsets'], 'h'],
    ['what does not count', NOT_COUNTING, ['deployments', 'cronjobs'], 'n'],
  ]
  for (const [title, table, kinds, prefix] of tables)
    for (const kind of kinds)
      it(`${title} of ${kind}: verdict and final object of each case of the table`, async () => {
        const cases = casesOf(tableFor(kind, table), [kind])
        await bring(here, cases, `${prefix}-${kind}`)
        await judged(here, cases, `${prefix}-${kind}`, ACTS)
        for (const { metadata } of await here.list(kind))
          expect(metadata.annotations ?? {}, metadata.name).to.not.have.property(REQUEST_ANNOTATION)
      })

  it('a server-side apply that carries one, where there is one', async function () {
    if (!here.cluster.isReal) {
      process.stdout.write('      skipped on the sandbox, which refuses server-side apply with a 415\n')
      return this.skip()
    }
    const cases = casesOf(SERVER_SIDE, ['deployments'])
    await bring(here, cases, 'ssa')
    await judged(here, cases, 'ssa', ACTS)
  })

  it('a manifest in Git that carries one for ever wakes nothing, at no sync', async () => {
    await here.asleep('deployments', 'synced', { replicas: COUNT })
    const { state } = marksOf(await get('synced'))
    for (let sync = 0; sync < 3; sync += 1) {
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
    expect(says).to.match(/Dormouse: deployment \S+\/named woken to 3 replicas: awake by request of jane/)
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
        events.some(({ message }) => message.includes('by k8s:jane (api)')) && lines[0]?.by === 'k8s:jane'
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

  it('a dry run shows the answer and changes nothing', async () => {
    await here.asleep('deployments', 'tried', { replicas: COUNT })
    const before = await get('tried')
    const result = await ask(here, 'deployments', 'tried', 'wake', '--dry-run=server')
    expect(warningsOf(result)[0]).to.match(/woken to 3 replicas/)
    expect(written(await get('tried'))).to.deep.equal(written(before))
  })

  it('sent again with its time is answered again and carried out once', async () => {
    await here.asleep('deployments', 'again', { replicas: COUNT })
    const text = `wake 2h @${new Date().toISOString()}`
    await ask(here, 'deployments', 'again', text)
    const first = marksOf(await get('again')).state
    const result = await ask(here, 'deployments', 'again', text)
    expect(warningsOf(result)[0]).to.match(/has carried this request out at/)
    const second = marksOf(await get('again')).state
    expect(second?.intent).to.deep.equal(first?.intent)
    expect(second?.history.length).to.equal(first?.history.length)
  })

  it('a robot that asks again and again runs into the backoff, and a person still wakes it', async () => {
    await here.enabled('deployments', 'robot', { replicas: COUNT })
    const answers: string[] = []
    for (let time = 0; time < 9; time += 1) {
      const { code, stderr } = await ask(here, 'deployments', 'robot', time % 2 === 0 ? 'snooze' : 'wake')
      answers.push(code === 0 ? 'done' : stderr)
    }
    expect(answers.slice(0, 7)).to.deep.equal(Array.from({ length: 7 }, () => 'done'))
    expect(answers[8]).to.match(
      /snooze is refused until [^;]+; to do it all the same: kubectl annotate .*=force-snooze/,
    )
    expect(await ask(here, 'deployments', 'robot', 'wake')).to.include({ code: 0 })
  })

  it('of 100 KiB is refused, with what to type', async () => {
    await here.enabled('deployments', 'long', { replicas: COUNT })
    const { status, body } = await here.cluster.admin.send(
      'PATCH',
      here.path('deployments', 'long'),
      asking('x'.repeat(100 * 1024)),
    )
    expect(status).to.equal(403)
    expect(body.message).to.match(/expected one of wake, snooze,.* found a text of 102400 characters/)
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

  it('a hand may scale what it has put to sleep, though nobody had owned the count', async () => {
    await here.asleep('deployments', 'unowned', { replicas: COUNT })
    await ask(here, 'deployments', 'unowned', 'wake')
    // The write that completes the wake gives the count up.
    await here.settled('deployments', 'unowned')
    await ask(here, 'deployments', 'unowned', 'snooze')
    expect(await here.attempt('scale', 'deployment/unowned', '--replicas=2')).to.include({ code: 0 })
    await here.settled('deployments', 'unowned')
    const { operation_history: history, ...record } = await here.workload('deployments', 'unowned').status()
    expect(record).to.include({ is_snoozed: false, current_replicas: 2 })
    expect(history[0]).to.include({ type: 'wake', trigger: 'manual' })
  })

  it('on creation is removed with a warning', async () => {
    const annotations = { 'dormouse.dev/enabled': 'true', [REQUEST_ANNOTATION]: 'snooze' }
    const created = await here.withFile('create', manifest('deployments', 'born', { annotations }))
    expect(warningsOf(created)[0]).to.match(/does nothing on creation/)
    expect((await get('born')).metadata.annotations).to.not.have.property(REQUEST_ANNOTATION)
  })

  it('adopts what another tool has put to sleep, in the write that removes its marks', async () => {
    const annotations = { 'downscaler/original-replicas': '4' }
    await here.create('deployments', 'adopted', { replicas: 0, annotations })
    const selector = { 'kube-downscaler-non-existent': 'true' }
    await here.cluster.create(here.namespace, [manifest('daemonsets', 'adopted', { nodeSelector: selector })])
    await patch(here, 'deployments', 'adopted', {
      metadata: {
        annotations: {
          'downscaler/original-replicas': null,
          'dormouse.dev/enabled': 'true',
          [REQUEST_ANNOTATION]: 'adopt 4',
        },
      },
    })
    const { metadata } = await get('adopted')
    expect(metadata.annotations).to.not.have.property('downscaler/original-replicas')
    expect(marksOf(await get('adopted'))).to.include({ replicas: 0, label: '4' })
    expect(marksOf(await get('adopted')).state?.history[0]).to.include({ trigger: 'recovery' })
    const exchanged = await patch(here, 'daemonsets', 'adopted', {
      metadata: { annotations: { 'dormouse.dev/enabled': 'true', [REQUEST_ANNOTATION]: 'adopt 2' } },
      spec: { template: { spec: { nodeSelector: { 'kube-downscaler-non-existent': null } } } },
    })
    expect(exchanged.code, exchanged.stderr).to.equal(0)
    const agent = await here.get('daemonsets', 'adopted')
    expect(agent.spec.template?.spec.nodeSelector).to.deep.equal({ 'dormouse.dev/snoozed': 'true' })
    expect(agent.metadata.labels).to.include({ 'dormouse.dev/asleep': '2' })
    const record = await here.workload('deployments', 'adopted').wake('?wait=30s')
    expect(record).to.include({ current_replicas: 4 })
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
