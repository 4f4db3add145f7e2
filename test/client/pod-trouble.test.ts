import { expect } from 'chai'
import { podSelector, troubleOfPods, type PodObject } from '../../src/client/cluster/pod-trouble.ts'

type Status = NonNullable<PodObject['status']>
type Container = NonNullable<Status['containerStatuses']>[number]

const pod = (status: Status, metadata: PodObject['metadata'] = {}): PodObject => ({ metadata, status })
const container = (state: Container['state'], more: Partial<Container> = {}) =>
  pod({
    phase: 'Pending',
    containerStatuses: [{ name: 'web', ready: false, ...(state && { state }), ...more }],
  })

const READY = container({ running: {} }, { ready: true })
const STARTING = container({ waiting: { reason: 'ContainerCreating' } })
const UNREADY = container({ running: {} })
const NO_IMAGE = container({
  waiting: { reason: 'ImagePullBackOff', message: 'Back-off pulling image "nope:1"' },
})
const CRASHED = container(
  { waiting: { reason: 'CrashLoopBackOff', message: 'back-off 5m0s restarting failed container' } },
  { lastState: { terminated: { exitCode: 137, reason: 'OOMKilled' } } },
)
const UNSCHEDULED = pod({
  phase: 'Pending',
  conditions: [
    { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/3 nodes are available: …' },
  ],
})
const EVICTED = pod({ phase: 'Failed', reason: 'Evicted', message: 'The node was low on memory' })

describe('why pods are not ready', () => {
  it('a pod without a node says what the scheduler says', () => {
    const said = { code: 'Unschedulable', message: '0/3 nodes are available: …' }
    expect(troubleOfPods([UNSCHEDULED])).to.deep.equal(said)
  })

  it('a container that waits says for what; one that crashed says how its last run ended', () => {
    expect(troubleOfPods([NO_IMAGE])).to.deep.equal({
      code: 'ImagePullBackOff',
      message: 'container web: Back-off pulling image "nope:1"',
    })
    expect(troubleOfPods([CRASHED])).to.deep.equal({
      code: 'CrashLoopBackOff',
      message: 'container web: its last run ended: OOMKilled, exit code 137',
    })
  })

  it('a container that waits to run first counts, too', () => {
    const { containerStatuses } = CRASHED.status ?? {}
    const first = pod({ ...STARTING.status, initContainerStatuses: containerStatuses ?? [] })
    expect(troubleOfPods([first])?.code).to.equal('CrashLoopBackOff')
  })

  it('a pod that was evicted says so, one that only starts or is not ready says as much', () => {
    expect(troubleOfPods([EVICTED])?.code).to.equal('Evicted')
    expect(troubleOfPods([STARTING])?.code).to.equal('ContainerCreating')
    expect(troubleOfPods([UNREADY])).to.deep.equal({
      code: 'NotReady',
      message: 'container web runs, and its readiness probe fails',
    })
  })

  it('the one that says most counts, whichever comes first', () => {
    const all = [UNREADY, STARTING, EVICTED, NO_IMAGE, UNSCHEDULED]
    while (all.length > 0) {
      const told = troubleOfPods([READY, ...all])
      expect(told).to.deep.equal(troubleOfPods([all.pop()!]))
    }
  })

  it('pods that are ready, done or on their way out say nothing, and neither does junk', () => {
    const going = pod({ ...NO_IMAGE.status }, { deletionTimestamp: '2026-03-02T12:00:00Z' })
    const done = pod({ phase: 'Succeeded', containerStatuses: NO_IMAGE.status?.containerStatuses ?? [] })
    expect(troubleOfPods([READY, going, done, pod({}), { metadata: {} }])).to.equal(undefined)
  })

  it('are found by the selector in all its forms', () => {
    const matchExpressions = [
      { key: 'tier', operator: 'In', values: ['a', 'b'] },
      { key: 'stage', operator: 'NotIn', values: ['test'] },
      { key: 'app', operator: 'Exists' },
      { key: 'old', operator: 'DoesNotExist' },
    ]
    const selector = { matchLabels: { app: 'web', team: 'x' }, matchExpressions }
    expect(podSelector({ selector }, {})).to.equal('app=web,team=x,tier in (a,b),stage notin (test),app,!old')
    expect(podSelector({}, { selector: 'app=web' }), 'of what has a scale subresource').to.equal('app=web')
    for (const none of [undefined, {}, { selector: {} }, { selector: 'x' }, { selector: { matchLabels: 7 } }])
      expect(podSelector(none, undefined)).to.equal(undefined)
  })
})
