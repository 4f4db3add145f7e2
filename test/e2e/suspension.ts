import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import type { Cluster } from '../support/cluster.ts'
import { Dormouse } from '../support/dormouse.ts'
import { eventually } from '../support/eventually.ts'
import { annotated, manifest } from '../support/manifests.ts'
import { sumOf, writesOf } from '../support/metrics-text.ts'
import { ProgramClock } from '../support/program-clock.ts'
import { comingMinute, wakesAt } from '../support/schedules.ts'
import { served } from '../support/served.ts'
import { marksOf } from './agreement.ts'

const MINUTE = 60_000
const WAVE = 30
/** So that the leader that is suspended comes back while the other still has much to write. */
const WRITES_PER_SECOND = 5
const SETTINGS = { newWorkloadGrace: '0s', controller: { writesPerSecond: WRITES_PER_SECOND } }
/** Milliseconds from the suspension to the edge. */
const BEFORE_THE_EDGE = 3000

/**
 * Tests a leader that is suspended (SIGSTOP) across an edge that wakes a wave, for as long as the other replica needs
 * to take over and wake two thirds of it, and at least for `milliseconds`.
 */
export function suspendedLeader(on: () => Cluster, milliseconds: number): void {
  const clock = new ProgramClock()
  const here = served(on, SETTINGS, clock.preload)
  let other: Dormouse | undefined
  let written: number
  let events: number

  before('a wave sleeps, and a second replica stands by', async function () {
    this.timeout(240_000)
    const edge = comingMinute(30 * MINUTE)
    const annotations = annotated(wakesAt(edge))
    const objects = Array.from({ length: WAVE }, (_, index) =>
      manifest('statefulsets', `wave-${index}`, { replicas: 1 + (index % 2), annotations }),
    )
    await here.cluster.create(here.namespace, objects)
    await eventually('all to sleep', async () => (await awake()) === 0, { pause: 300 })
    other = await Dormouse.start(on(), SETTINGS, clock.preload)
    await eventually('an Event of each', async () => {
      const told = (await here.events()).filter(({ reason }) => reason === 'Snoozed')
      return new Set(told.map(({ involvedObject }) => involvedObject.name)).size === WAVE
    })
    clock.moveTo(edge - BEFORE_THE_EDGE - Date.now())
    written = await writes(here.dormouse)
    events = await writes(here.dormouse, 'events')
    here.dormouse.suspend()
  })

  after(async () => {
    here.dormouse.resume()
    await other?.stop()
    clock.remove()
  })

  it('the other takes over, and the one that comes back writes nothing any more', async function () {
    this.timeout(milliseconds + 240_000)
    const began = performance.now()
    await eventually('the other to wake two thirds', async () => (await awake()) >= (2 * WAVE) / 3, {
      pause: 100,
    })
    await sleep(Math.max(0, began + milliseconds - performance.now()))
    here.dormouse.resume()
    await eventually('it to notice', () =>
      here.dormouse.log.some(({ msg }) => msg?.startsWith('this replica leads no longer')),
    )
    await eventually(
      'it to stand by',
      async () => sumOf(await here.dormouse.metrics(), 'dormouse_leader') === 0,
    )
    await eventually('the wave to end', async () => (await completed()) === WAVE, {
      pause: 300,
    })
    expect(await writes(here.dormouse), 'patches by the one that was suspended').to.equal(written)
    expect(await writes(here.dormouse, 'events'), 'Events by the one that was suspended').to.equal(events)
  })

  it('nothing is lost, and nothing done twice', async () => {
    for (const object of await here.list('statefulsets')) {
      const { metadata } = object
      const { replicas, state } = marksOf(object)
      expect(replicas, metadata.name).to.equal(1 + (Number(metadata.name.split('-')[1]) % 2))
      expect(state?.history.map(({ type }) => type)).to.deep.equal(['wake', 'snooze'])
      expect(metadata.generation, 'each change of its spec once').to.equal(3)
    }
  })

  async function awake(): Promise<number> {
    return (await here.list('statefulsets')).filter(({ spec }) => spec.replicas !== 0).length
  }

  async function completed(): Promise<number> {
    const states = (await here.list('statefulsets')).map((object) => marksOf(object).state)
    return states.filter((state) => state?.history[0]?.result === 'succeeded').length
  }
}

/** How many writes of workloads, or creations of Events, a replica has sent. */
async function writes(
  dormouse: Dormouse,
  resource: 'statefulsets' | 'events' = 'statefulsets',
): Promise<number> {
  const samples = await dormouse.metrics()
  return resource === 'events'
    ? sumOf(samples, 'dormouse_kubernetes_requests_total', { verb: 'create', resource })
    : writesOf(samples, resource)
}
