import { expect } from 'chai'
import type { WorkloadClient } from '../support/api-client.ts'
import { describeOn } from '../support/clusters.ts'
import { Dormouse } from '../support/dormouse.ts'
import { eventually } from '../support/eventually.ts'
import { annotated } from '../support/manifests.ts'
import { ProgramClock } from '../support/program-clock.ts'
import { asleepNow, awakeNow, comingMinute, sleepsAt, wakesAt } from '../support/schedules.ts'
import { served } from '../support/served.ts'
import { marksOf } from './agreement.ts'

const MINUTE = 60_000
/** Milliseconds by which one replica's clock is ahead. */
const APART = 30_000
const REPLICAS = 3
const SETTINGS = { newWorkloadGrace: '0s', backoff: { maxOperations: 19 } }
const ROUNDS = 6

/** The operations at the edge, and the total after them. */
const AT_THE_EDGE = [
  { name: 'sleeps', becomes: 'asleep', operations: 1 },
  { name: 'wakes', becomes: 'awake', operations: 2 },
  { name: 'held-until', becomes: 'asleep', operations: 3 },
  { name: 'snoozed-until', becomes: 'awake', operations: 2 },
  { name: 'overridden-until', becomes: 'asleep', operations: 1 },
] as const

describeOn('two replicas whose clocks are 30 s apart', function (on) {
  this.timeout(120_000)
  const ahead = new ProgramClock()
  const behind = new ProgramClock()
  const here = served(on, SETTINGS, ahead.preload)
  let other: Dormouse
  let edge: number
  let canaries = 0

  const through = (dormouse: Dormouse, name: string): WorkloadClient =>
    dormouse.api.workload('deployments', here.namespace, name)

  before('a second replica, whose clock is behind', async () => {
    edge = comingMinute(30 * MINUTE)
    other = await Dormouse.start(on(), SETTINGS, behind.preload)
  })

  after(async () => {
    await other.stop()
    ahead.remove()
    behind.remove()
  })

  it('requests to each in turn: each counts, and no intent is dated before the one it replaces', async () => {
    setClocks(edge - 10 * MINUTE)
    await here.enabled('deployments', 'asked', { replicas: REPLICAS, schedule: awakeNow() })
    const dated: number[] = []
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const dormouse of [here.dormouse, other]) {
        const asleep = round % 2 === 0 ? await through(dormouse, 'asked').snooze('?for=2h') : undefined
        const awake = round % 2 === 1 ? await through(dormouse, 'asked').wake('?for=2h') : undefined
        expect((asleep ?? awake)?.last_replicas).to.equal(REPLICAS)
        const { replicas, state } = await marks('asked')
        expect(replicas).to.equal(asleep ? 0 : REPLICAS)
        dated.push(state?.intent?.at ?? 0)
      }
    }
    expect(dated).to.deep.equal([...new Set(dated)].toSorted((a, b) => a - b))
    const history = (await marks('asked')).state?.history ?? []
    expect(history).to.have.length(ROUNDS)
    expect(history.map(({ at }) => at)).to.deep.equal(history.map(({ at }) => at).toSorted((a, b) => b - a))
  })

  it('the one ahead leads, and acts at the edge by its clock', async () => {
    setClocks(edge - MINUTE)
    const schedules = { sleeps: sleepsAt(edge), wakes: wakesAt(edge) }
    await here.enabled('deployments', 'sleeps', { replicas: REPLICAS, schedule: schedules.sleeps })
    await here.enabled('deployments', 'wakes', { replicas: REPLICAS, schedule: schedules.wakes })
    const until = async (name: string, schedule: string) =>
      here.enabled('deployments', name, { replicas: REPLICAS, schedule })
    const held = await until('held-until', asleepNow(edge))
    const snoozed = await until('snoozed-until', awakeNow(edge))
    const overridden = await until('overridden-until', awakeNow(edge))
    setClocks(edge - MINUTE)
    await held.wake('?for=1m')
    await snoozed.snooze('?for=1m')
    await overridden.override('1m')
    await overridden.schedule({ schedule: asleepNow(edge) })
    setClocks(edge - 1000)
    await done()
  })

  it('the one behind leads, whose edge is still to come: nothing is undone', async () => {
    // On a slow machine it may have come near the edge meanwhile.
    if (behind.now() > edge - APART / 2) behind.moveTo(edge - APART - Date.now())
    expect(await here.dormouse.terminate()).to.equal(0)
    await leads(other)
    expect(behind.now()).to.be.lessThan(edge)
    await done()
  })

  it('it reaches the edge, too: nothing is done twice', async () => {
    behind.moveTo(edge - 500 - Date.now())
    await eventually('the edge to pass', () => behind.now() > edge + 1000)
    await leads(other)
    await done()
  })

  it('the one ahead leads again: nothing is done twice', async () => {
    await here.dormouse.start()
    expect(await other.terminate()).to.equal(0)
    await leads(here.dormouse)
    await done()
  })

  function setClocks(now: number): void {
    ahead.moveTo(now - Date.now())
    behind.moveTo(now - APART - Date.now())
  }

  const marks = async (name: string) => marksOf(await here.get('deployments', name))

  async function done(): Promise<void> {
    await eventually('each to be as the edge leaves it, by as many operations as have a cause', async () => {
      for (const { name, becomes, operations } of AT_THE_EDGE) {
        const { replicas, label, state } = await marks(name)
        const wanted = becomes === 'awake' ? [REPLICAS, undefined] : [0, `${REPLICAS}`]
        expect([replicas, label], name).to.deep.equal(wanted)
        expect(state?.history, name).to.have.length(operations)
      }
      return true
    })
  }

  /** Resolves once it leads, has evaluated everything, and has acted on later changes. */
  async function leads(dormouse: Dormouse): Promise<void> {
    await eventually('it to lead', () =>
      dormouse.log.some(({ msg }) => msg === 'this replica leads') ? true : undefined,
    )
    const name = `canary-${(canaries += 1)}`
    await here.create('deployments', name, { annotations: annotated(asleepNow(edge)) })
    await eventually('the canary to sleep', async () => (await marks(name)).replicas === 0)
  }
})
