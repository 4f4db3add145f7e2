import { expect } from 'chai'
import type { Kind } from '../../src/domain/workload/workload.ts'
import type { Cluster } from '../support/cluster.ts'
import type { Dormouse } from '../support/dormouse.ts'
import { enforced, LEASES } from '../support/enforced.ts'
import { eventually, inParallel } from '../support/eventually.ts'
import type { KubectlObject } from '../support/kubectl.ts'
import { annotated, countOf, manifest } from '../support/manifests.ts'
import { ProgramClock } from '../support/program-clock.ts'
import { MINUTE } from '../support/rules.ts'
import { awakeNow, comingMinute, sleepsAt } from '../support/schedules.ts'
import { hasFollowed } from '../support/served.ts'
import { marksOf } from './agreement.ts'

/** A candidate that relies on such a duration has not taken over at once, however slow the machine is. */
const LONG = { duration: '180s', renew: '170s' }
/** Milliseconds from the move of the clock to the edge. */
const LEAD = 2000

/** Tests that end the leader in the middle of a wave: first by SIGKILL, then by SIGTERM. */
export function leaderGoes(on: () => Cluster, wave: number): void {
  const clock = new ProgramClock()
  const here = enforced(on, { writesPerSecond: wave / 4, preload: clock.preload })
  after(() => clock.remove())
  const indices = Array.from({ length: wave }, (_, index) => index)
  let other: Dormouse

  before('workloads run, and a second replica', async function () {
    this.timeout(300_000)
    const objects = indices.map((index) =>
      manifest(kindOf(index), `wave-${index}`, { replicas: replicasOf(index) }),
    )
    await here.cluster.create(here.namespace, objects)
    await eventually('the pods to run', async () => (await workloads()).every(hasFollowed), {
      timeout: 120_000,
      pause: 500,
    })
    const { dormouse, port } = await here.joined()
    other = dormouse
    here.balancer.to([port], { cut: true })
    const edge = comingMinute(30 * MINUTE)
    await everyoneGets(sleepsAt(edge))
    clock.moveTo(edge - LEAD - Date.now())
  })

  it(`killed with ${wave} workloads to put to sleep: the other takes over, nothing is lost or done twice`, async function () {
    this.timeout(240_000)
    const leader = await holder()
    await midway(true)
    await here.dormouse.kill()
    await takenFrom(leader)
    await ended(true, 1)
  })

  it(`told to end with ${wave} workloads to wake: the other takes over at once, nothing is lost or done twice`, async function () {
    this.timeout(240_000)
    const leader = await holder()
    const { settings, port } = await here.another()
    const controller = settings['controller'] as { lease: object }
    await here.dormouse.start({
      ...settings,
      controller: { ...controller, lease: { ...controller.lease, ...LONG } },
    })
    here.balancer.to([port], { cut: true })
    const hours = everyoneGets(awakeNow())
    await midway(false)
    const ending = other.terminate()
    await takenFrom(leader)
    expect(await ending, 'its exit code').to.equal(0)
    await hours
    await ended(false, 2)
  })

  /** Resolves once a part of the wave has followed. */
  async function midway(asleep: boolean): Promise<void> {
    await eventually(
      'the wave to roll',
      async () => {
        const count = (await workloads()).filter((object) => isAsleep(object) === asleep).length
        return count > wave / 8
      },
      { pause: 150 },
    )
  }

  async function takenFrom(leader: string): Promise<void> {
    await eventually(
      'another leader',
      async () => {
        const now = await holder()
        return now !== '' && now !== leader
      },
      { pause: 30 },
    )
  }

  async function ended(asleep: boolean, operations: number): Promise<void> {
    await eventually('the wave to end', async () => (await workloads()).every(isComplete), {
      timeout: 120_000,
      pause: 300,
    })
    for (const object of await workloads()) {
      const { name, generation } = object.metadata
      const index = Number(name.split('-')[1])
      const count = countOf(kindOf(index), replicasOf(index))
      const { replicas, label, state } = marksOf(object)
      expect({ name, replicas, label }).to.deep.equal({
        name,
        replicas: asleep ? 0 : count,
        label: asleep ? String(count) : undefined,
      })
      expect(state?.history, `${name}: one operation for one wave`).to.have.length(operations)
      expect(generation, `${name}: each change of its spec once`).to.equal(1 + operations)
    }
    function isComplete(object: KubectlObject): boolean {
      const [newest] = marksOf(object).state?.history ?? []
      // The result of a snooze is recorded by the next write, that of a wake by a write of its own.
      const ended = asleep || newest?.result === 'succeeded'
      return isAsleep(object) === asleep && hasFollowed(object) && ended
    }
  }

  async function holder(): Promise<string> {
    const { spec } = await here.cluster.admin.expect('GET', `${LEASES}/dormouse`)
    return (spec as { holderIdentity?: string | null }).holderIdentity ?? ''
  }

  async function everyoneGets(schedule: string): Promise<void> {
    const body = { metadata: { annotations: annotated(schedule) } }
    await inParallel(indices, (index) =>
      here.cluster.admin.expect('PATCH', here.path(kindOf(index), `wave-${index}`), body),
    )
  }

  const workloads = async () => [...(await here.list('statefulsets')), ...(await here.list('cronjobs'))]
}

/** Most are without pods, which would take the machine for themselves. */
function kindOf(index: number): Kind {
  return index % 4 === 0 ? 'statefulsets' : 'cronjobs'
}

function replicasOf(index: number): number {
  return 1 + (index % 8 === 0 ? 1 : 0)
}

function isAsleep(object: KubectlObject): boolean {
  return marksOf(object).label !== undefined
}
