import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import type { Kind } from '../../src/domain/workload/workload.ts'
import { releaseLease } from '../faults/crashes.ts'
import type { Cluster } from '../support/cluster.ts'
import { eventually } from '../support/eventually.ts'
import { print, printFigures } from '../support/figures.ts'
import type { KubectlObject } from '../support/kubectl.ts'
import { annotated, countOf, manifest } from '../support/manifests.ts'
import { ProgramClock } from '../support/program-clock.ts'
import { seededRandom, testSeed } from '../support/random.ts'
import { awakeBetween } from '../support/schedules.ts'
import { hasFollowed, served } from '../support/served.ts'
import { marksOf } from './agreement.ts'

const HOUR = 3_600_000
/** Most of them without pods, which would take the machine for themselves. */
const SHARES: readonly [Kind, number][] = [
  ['cronjobs', 120],
  ['deployments', 40],
  ['statefulsets', 20],
  ['replicasets', 20],
]
const WAVE = SHARES.reduce((sum, [, count]) => sum + count, 0)
const HISTORY = 20

/** No backoff: these tests are not about flapping. */
const PATIENT = { newWorkloadGrace: '0s', backoff: { maxOperations: 19, window: '1s' } }

/**
 * Tests that kill Dormouse with SIGKILL at that many random instants of a wave of 200 workloads, start it again, and check
 * each workload: the state of its schedule, its count, and one operation per wave.
 */
export function killsInAWave(on: () => Cluster, kills: number): void {
  const clock = new ProgramClock()
  const here = served(on, PATIENT, clock.preload)
  after(() => clock.remove())
  const seed = testSeed()
  const begun = Date.now()
  let waves = 0
  let span: number

  const stateOf = (wave: number) => (wave % 2 === 1 ? 'asleep' : 'awake')

  before('a whole wave has passed', async function () {
    this.timeout(300_000)
    const annotations = annotated(awakeBetween(begun - 2 * HOUR, begun + 4 * HOUR))
    for (const [kind, count] of SHARES) {
      const objects = Array.from({ length: count }, (_, index) =>
        manifest(kind, nameOf(kind, index), { replicas: replicasOf(index), annotations }),
      )
      await here.cluster.create(here.namespace, objects)
    }
    await eventually('the pods to run', async () => (await workloads()).every(hasFollowed), {
      timeout: 180_000,
      pause: 500,
    })
    nextWave()
    const began = performance.now()
    await eventually('all to sleep', async () => (await moved(1)) === WAVE, {
      timeout: 120_000,
      pause: 100,
    })
    span = performance.now() - began
  })

  it(`${WAVE} workloads end as the rules say, with their counts intact`, async function () {
    this.timeout(kills * 120_000)
    const random = seededRandom(seed)
    const done: number[] = []
    const caughtUp: number[] = []
    print([`kill -9 at ${kills} instants of a wave of ${Math.round(span)} ms: DORMOUSE_TEST_SEED=${seed}`])
    for (let kill = 1; kill <= kills; kill += 1) {
      nextWave()
      await sleep(random() * span)
      await here.dormouse.kill()
      done.push(await moved(waves))
      await releaseLease(here.cluster)
      await here.dormouse.start()
      const began = performance.now()
      await eventually('all to have moved', async () => (await moved(waves)) === WAVE, {
        pause: 200,
      })
      caughtUp.push(performance.now() - began)
      await eventually('the pods to follow', async () => (await workloads()).every(isComplete), {
        pause: 500,
      })
      for (const object of await workloads()) check(object)
    }
    print([`moved when it was killed: ${done.join(', ')} of ${WAVE}`])
    printFigures(`from the restart on ${here.cluster.name}`, [
      { name: 'until all had moved', values: caughtUp },
    ])
  })

  /** Moves the clock to the next edge: it is asleep for 18 hours a day. */
  function nextWave(): void {
    waves += 1
    const days = Math.floor(waves / 2)
    clock.moveTo((24 * days + (stateOf(waves) === 'asleep' ? 4 : -2)) * HOUR + begun - Date.now())
  }

  function check(object: KubectlObject): void {
    const { name } = object.metadata
    const [, kind = '', index] = /^wave-(\w+)-(\d+)$/.exec(name) ?? []
    const count = countOf(kind as Kind, replicasOf(Number(index)))
    const asleep = stateOf(waves) === 'asleep'
    const { replicas, label, state } = marksOf(object)
    expect({ name, replicas, label }).to.deep.equal({
      name,
      replicas: asleep ? 0 : count,
      label: asleep ? String(count) : undefined,
    })
    expect(state?.asleep, name).to.equal(asleep)
    expect(state?.snoozed?.replicas, name).to.equal(count)
    expect(state?.history, `${name}: one operation for one wave`).to.have.length(Math.min(waves, HISTORY))
    expect(state?.history[0], name).to.include({ type: asleep ? 'snooze' : 'wake', trigger: 'schedule' })
  }

  /** The number of workloads that have followed this wave. */
  async function moved(wave: number): Promise<number> {
    const asleep = stateOf(wave) === 'asleep'
    return (await workloads()).filter((object) => (marksOf(object).label !== undefined) === asleep).length
  }

  async function workloads(): Promise<KubectlObject[]> {
    const lists = SHARES.map(([kind]) => here.list(kind))
    // Without the ReplicaSets of Deployments.
    return (await Promise.all(lists)).flat().filter(({ metadata }) => /^wave-\w+-\d{3}$/.test(metadata.name))
  }
}

/** The result of a snooze is recorded by the next write, that of a wake by a write of its own. */
function isComplete(object: KubectlObject): boolean {
  const { label, state } = marksOf(object)
  return hasFollowed(object) && (label !== undefined || state?.history[0]?.result === 'succeeded')
}

function nameOf(kind: Kind, index: number): string {
  return `wave-${kind}-${String(index).padStart(3, '0')}`
}

function replicasOf(index: number): number {
  return 1 + (index % 8 === 0 ? 1 : 0) + (index % 20 === 0 ? 1 : 0)
}
