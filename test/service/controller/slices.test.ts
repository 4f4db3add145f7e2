import { expect } from 'chai'
import { pino } from 'pino'
import type { ServiceCopy } from '../../../src/domain/traffic/copies.ts'
import { readWorkload } from '../../../src/domain/workload/reading.ts'
import { keyOf, type Workload, type WorkloadKey } from '../../../src/domain/workload/workload.ts'
import { Refusal } from '../../../src/process/errors.ts'
import type { ControllerPorts, SlicingPorts } from '../../../src/service/controller/ports.ts'
import { Slices } from '../../../src/service/controller/slices.ts'
import { FakeTime, settled } from '../../support/fake-time.ts'
import { FakeTraffic } from '../../support/fake-traffic.ts'
import { at, MINUTE, rulesWith } from '../../support/rules.ts'
import { aDeployment } from '../../support/workloads.ts'
import { Told } from './told.ts'

const asleep = aDeployment()
  .withReplicas(0)
  .enabled()
  .annotated({ wakeOnTraffic: 'page' })
  .snoozed({ at: at('Mon 7:00'), kept: 3 })
  .with({ podLabels: { app: 'web' } })
const awake = aDeployment()
  .withReplicas(3)
  .enabled()
  .annotated({ wakeOnTraffic: 'page' })
  .with({ podLabels: { app: 'web' } })

const aService = (change: Partial<ServiceCopy> = {}): ServiceCopy => ({
  namespace: 'shop',
  name: 'web',
  uid: 'service-web',
  resourceVersion: '1',
  type: 'ClusterIP',
  isHeadless: false,
  selector: { app: 'web' },
  families: ['IPv4'],
  ports: [{ name: 'http', port: 80, protocol: 'TCP' }],
  ...change,
})

/** The slices of a leader over a cluster and a time that are not real. */
async function aLeader(
  traffic: FakeTraffic,
  range = { from: 20_000, to: 20_999 },
  known: readonly Workload[] = [],
) {
  const time = new FakeTime(at('Mon 12:00'))
  const told = new Told()
  const rules = rulesWith()
  const workloads = new Map(known.map((each) => [keyOf(each), each]))
  const away = new Set<string>()
  const faults = new Map<string, string>()
  const ports = {
    workloads: {
      isConnected: (kind: string) => !away.has(kind),
      get: (key: WorkloadKey) => workloads.get(keyOf(key)),
      list: () => workloads.values(),
      onChange: () => {},
    },
    evaluations: { reading: (workload: Workload) => readWorkload(workload, rules) },
    recorder: told,
    observer: told,
    logger: pino({ level: 'silent' }),
    monotonic: time.monotonic,
    later: time.later,
    slicing: {
      copies: traffic,
      writer: traffic,
      range,
      endpoints: 'ready',
      owner: async () => undefined,
      faults,
      due: () => {},
    },
  } as unknown as ControllerPorts & { readonly slicing: SlicingPorts }
  const settings = { concurrency: 4, writesPerWorkload: 20, excludeNamespaces: new Set(['kube-system']) }
  const slices = new Slices(ports, settings)
  const { signal } = new AbortController()
  const open = async () => {
    traffic.slicesOfLeader = slices
    slices.open({ signal, cut: signal })
    await settled()
  }
  await open()
  return {
    time,
    told,
    faults,
    slices,
    away,
    open,
    /** The informer's copy changes; undefined: it is deleted. */
    async see(name: string, workload: Workload | undefined) {
      const key = `deployments/shop/${name}`
      const before = workloads.get(key)
      const after = workload && { ...workload, name, uid: name }
      if (after) workloads.set(key, after)
      else workloads.delete(key)
      slices.workloadChanged(before, after)
      await settled()
    },
  }
}

describe('slices of sleeping Services', () => {
  const ports = (traffic: FakeTraffic) => [...traffic.live.values()].map(({ own }) => own?.ports?.[0]?.port)

  for (const [order, first] of [
    ['the Service', 'service'],
    ['its workload', 'workload'],
  ] as const)
    it(`are created once, whichever is told of first: ${order}`, async () => {
      const traffic = new FakeTraffic()
      traffic.isLate = true
      const { see } = await aLeader(traffic)
      if (first === 'service') traffic.putService('web', aService())
      await see('web', asleep)
      if (first === 'workload') traffic.putService('web', aService())
      await settled()
      expect(traffic.writes).to.have.length(1)
      // The watch is behind: whatever happens meanwhile, it is not created again.
      await see('web', asleep.with({ resourceVersion: '999', podLabels: { app: 'web', tier: 'x' } }))
      expect(traffic.writes).to.have.length(1)
      traffic.tell()
      await settled()
      expect(traffic.writes).to.have.length(1)
    })

  it('come back while it wakes, when somebody deletes one, or all wakers go for a moment', async () => {
    const traffic = new FakeTraffic()
    const { see, slices } = await aLeader(traffic)
    traffic.putService('web', aService())
    await see('web', asleep)
    const before = ports(traffic)
    await see('web', awake)
    for (const slice of traffic.slices()) traffic.delete(slice)
    await settled()
    expect(ports(traffic)).to.deep.equal(before)

    const { wakers } = traffic
    traffic.wakers = []
    slices.stateChanged()
    await settled()
    expect(traffic.live.size).to.equal(0)
    traffic.wakers = wakers
    slices.stateChanged()
    await settled()
    expect(ports(traffic)).to.deep.equal(before)

    await see('web', awake.with({ podLabels: { app: 'other' } }))
    await see('web', awake)
    expect(traffic.live.size, 'awake, and never asleep since').to.equal(0)
  })

  it('stay while it wakes, go with its first ready pod, and come back with their ports', async () => {
    const traffic = new FakeTraffic()
    const { see } = await aLeader(traffic)
    traffic.putService('web', aService())
    await see('web', asleep)
    const before = ports(traffic)
    await see('web', awake)
    expect(traffic.live.size).to.equal(1)
    const pods = {
      namespace: 'shop',
      name: 'web-abc',
      uid: 'e',
      resourceVersion: '',
      service: 'web',
      wakers: [],
    }
    traffic.put({ ...pods, readyPods: ['web-1'] })
    await settled()
    expect([...traffic.live.keys()]).to.deep.equal(['shop/web-abc'])
    traffic.delete(pods)
    await see('web', asleep)
    expect(ports(traffic)).to.deep.equal(before)
  })

  it('have a name that no former ones had, each time that they come', async () => {
    const traffic = new FakeTraffic()
    const { wakers } = traffic
    const { see, slices } = await aLeader(traffic)
    traffic.putService('web', aService())
    const names = new Set<string>()
    const come = () => {
      expect(traffic.live.size).to.equal(1)
      for (const name of traffic.live.keys()) names.add(name)
    }
    await see('web', asleep)
    come()
    await see('web', awake)
    come()
    expect(names.size, 'the same while it wakes').to.equal(1)
    await see('web', undefined)
    await see('web', asleep)
    come()
    for (const addresses of [[], wakers]) {
      traffic.wakers = addresses
      slices.stateChanged()
      await settled()
    }
    come()
    expect(names.size).to.equal(3)
  })

  it('are taken over by another leader without a write, and so is the account of their ports', async () => {
    const traffic = new FakeTraffic()
    const range = { from: 20_000, to: 20_000 }
    const former = await aLeader(traffic, range)
    traffic.putService('web', aService())
    await former.see('web', asleep)
    await former.slices.close()
    const writes = traffic.writes.length
    const { see, told } = await aLeader(traffic, range, [asleep])
    traffic.putService('other', aService({ name: 'other', uid: 'other', selector: { app: 'other' } }))
    await see('other', asleep.with({ podLabels: { app: 'other' } }))
    expect(told.messages.join()).to.include('all ports of waker.ports are taken')
    expect(traffic.writes).to.have.length(writes)
  })

  it('get a port that becomes free after its rest', async () => {
    const traffic = new FakeTraffic()
    const { see, time } = await aLeader(traffic, { from: 20_000, to: 20_000 })
    traffic.putService('web', aService())
    traffic.putService('other', aService({ name: 'other', uid: 'other', selector: { app: 'other' } }))
    await see('web', asleep)
    await see('other', asleep.with({ podLabels: { app: 'other' } }))
    await see('web', undefined)
    expect(traffic.live.size).to.equal(0)
    await time.pass(2 * MINUTE + 1)
    expect([...traffic.live.values()].map(({ service }) => service)).to.deep.equal(['other'])
  })

  it('follow the labels, the ports and the name of what sleeps', async () => {
    const traffic = new FakeTraffic()
    const { see } = await aLeader(traffic)
    traffic.putService('web', aService())
    await see('web', asleep)
    traffic.putService('web', aService({ ports: [{ name: 'web', port: 80, protocol: 'TCP' }] }))
    await settled()
    expect([...traffic.live.values()].map(({ own }) => own?.ports?.[0]?.name)).to.deep.equal(['web'])
    await see('web', asleep.with({ podLabels: { app: 'blue' } }))
    expect(traffic.live.size).to.equal(0)
    await see('web', asleep)
    expect(traffic.live.size).to.equal(1)
    // Another Service of the name takes the slice over.
    traffic.putService('web', aService({ uid: 'later' }))
    await settled()
    expect(traffic.live.size).to.equal(1)
    traffic.putService('web', undefined)
    await settled()
    expect(traffic.live.size).to.equal(0)
  })

  it('are one for each family, in which both have the same 100 ports', async () => {
    const traffic = new FakeTraffic()
    traffic.wakers = [...traffic.wakers, { address: 'fd00::3', family: 'IPv6' }]
    const { see } = await aLeader(traffic)
    const many = Array.from({ length: 100 }, (_, index) => ({
      name: `p${index}`,
      port: index + 1,
      protocol: 'TCP',
    }))
    traffic.putService('web', aService({ families: ['IPv6', 'IPv4'], ports: many }))
    await see('web', asleep)
    const [one, other] = [...traffic.live.values()].map(({ own }) => own?.ports?.map(({ port }) => port))
    expect(new Set(one).size).to.equal(100)
    expect(one).to.deep.equal(other)
    traffic.putService('web', aService({ families: ['IPv6'], ports: many }))
    await settled()
    expect(traffic.live.size).to.equal(1)
  })

  it('wait while a watch is away that may know better', async () => {
    const traffic = new FakeTraffic()
    const { see, away, slices } = await aLeader(traffic)
    traffic.putService('web', aService())
    away.add('deployments')
    await see('web', asleep)
    expect(traffic.writes).to.deep.equal([])
    away.clear()
    traffic.isCurrent = false
    slices.stateChanged()
    await settled()
    expect(traffic.writes).to.deep.equal([])
    traffic.isCurrent = true
    slices.stateChanged()
    await settled()
    expect(traffic.writes).to.have.length(1)
  })

  it('are restored five times in a minute, then ever more seldom, and an Event says that others write them', async () => {
    const traffic = new FakeTraffic()
    const { see, told, time } = await aLeader(traffic)
    traffic.putService('web', aService())
    await see('web', asleep)
    for (let times = 0; times < 6; times++) {
      const [slice] = traffic.live.values()
      if (slice) traffic.delete(slice)
      await settled()
    }
    expect(traffic.writes).to.have.length(6)
    expect(told.events).to.deep.equal(['Warning OtherWriter web'])
    await time.pass(MINUTE + 1)
    expect(traffic.writes).to.have.length(7)
    // A change that the Service needs by itself does not wait.
    await see('web', asleep.with({ podLabels: { app: 'blue' } }))
    expect(traffic.live.size).to.equal(0)
  })

  it('tell once why they cannot be written, and go on when they can', async () => {
    const traffic = new FakeTraffic()
    const { see, told, time, faults } = await aLeader(traffic)
    traffic.answer = () => new Refusal('CLUSTER_REJECTED', 'no', { details: { reason: 'AlreadyExists' } })
    traffic.putService('web', aService())
    await see('web', asleep)
    await time.pass(30_000)
    expect(told.events).to.deep.equal(['Warning NoWakeOnTraffic web'])
    expect(faults.get('deployments/shop/web')).to.include('an EndpointSlice of others has its name')
    traffic.answer = undefined
    await time.pass(10 * MINUTE)
    expect(traffic.live.size).to.equal(1)
    expect(faults.get('deployments/shop/web')).to.equal(undefined)
  })

  it('say on each workload that opted in that nothing can be watched', async () => {
    const traffic = new FakeTraffic()
    traffic.isCurrent = false
    const { see, told, slices } = await aLeader(traffic)
    await see('web', asleep)
    await see('off', asleep.annotated({ wakeOnTraffic: 'off' }))
    traffic.fault = 'endpointslices cannot be watched: forbidden'
    slices.stateChanged()
    await settled()
    expect(told.events).to.deep.equal(['Warning NoWakeOnTraffic web'])
  })
})
