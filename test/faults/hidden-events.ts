import { expect } from 'chai'
import type { Kind } from '../../src/domain/workload/workload.ts'
import { asleepNow, awakeNow } from '../support/schedules.ts'
import type { Cluster } from '../support/cluster.ts'
import { eventually, inParallel } from '../support/eventually.ts'
import { print } from '../support/figures.ts'
import { annotated, manifest } from '../support/manifests.ts'
import { agree } from '../e2e/agreement.ts'
import { statusOf } from './faults.ts'
import { isAtRest, patchesEnd, reschedule, type Scheduled, type Want } from './resting.ts'
import { throughFaults } from './through-faults.ts'

/** At least as many as a workload has events in the scenario. */
const WORKLOADS = 40
/** Fewer would mean that the scenario did not happen. */
const LEAST_EVENTS = 12
/** Milliseconds: when nothing has happened for so long, the rest wait for events that were hidden. */
const PATIENCE = 3000

interface Step {
  readonly title: string
  readonly change: (workload: Scheduled) => Promise<unknown>
  readonly want: Want
}

/**
 * Tests a scenario with as many workloads as each has events; for each workload another event is hidden. Mostly a later
 * event reveals it. If none comes, only a list can, so the watch expires.
 */
export function eachEventHidden(on: () => Cluster, kind: Kind): void {
  const here = throughFaults(on, { newWorkloadGrace: '0s', backoff: { maxOperations: 19, window: '1s' } })
  const create = ({ name, count }: Scheduled, schedule: string) =>
    here.cluster.create(here.namespace, [
      manifest(kind, name, { replicas: count, annotations: annotated(schedule) }),
    ])
  const remove = ({ name }: Scheduled) => here.cluster.admin.expect('DELETE', here.path(kind, name))
  const steps: readonly Step[] = [
    { title: 'created', change: (workload) => create(workload, awakeNow()), want: 'awake' },
    { title: 'put to sleep', change: (workload) => reschedule(here, workload, 'asleep'), want: 'asleep' },
    { title: 'woken', change: (workload) => reschedule(here, workload, 'awake'), want: 'awake' },
    {
      title: 'pinned and scaled to 0 by hand',
      change: async ({ name }) => {
        await here.workload(kind, name).pin()
        if (kind !== 'daemonsets') expect((await here.scale(kind, name, 0)).status).to.equal(200)
      },
      want: 'awake',
    },
    { title: 'unpinned', change: ({ name }) => here.workload(kind, name).unpin(), want: 'awake' },
    {
      title: 'deleted and created again, asleep',
      change: async (workload) => {
        await remove(workload)
        await create(workload, asleepNow())
      },
      want: 'asleep',
    },
  ]

  it(`of each of ${WORKLOADS} ${kind} another event is hidden, and all come to rest as they should`, async () => {
    const count = await replicasOf()
    const workloads = Array.from({ length: WORKLOADS }, (_, index) => ({
      kind,
      name: `hidden-${index}`,
      count,
    }))
    const laid = workloads.map(({ name }, index) =>
      here.proxy.onEvent(
        { resource: kind, namespace: here.namespace, name, nth: index + 1 },
        { type: 'lose' },
      ),
    )
    const waited: string[] = []
    for (const { title, change, want } of steps) {
      await inParallel(workloads, change)
      const counts: number[] = []
      for (let late = await unfinished(workloads, want); late > 0; late = await unfinished(workloads, want)) {
        counts.push(late)
        await relisted()
      }
      waited.push(`${title}: ${counts.join(' and then ') || 0}`)
    }
    await patchesEnd(here.proxy)
    await relisted()
    await inParallel(workloads, ({ name }) => agree(here, kind, name, 60_000), 4)
    const hidden = laid.filter(({ hits }) => hits > 0).length
    print([
      `${kind} on ${here.cluster.name}: ${hidden} events were hidden, one of each workload`,
      `only a list told ${waited.join(', ')}`,
    ])
    expect(hidden).to.be.at.least(LEAST_EVENTS)
  })

  /** How many are still not as wanted, once nothing has changed for a while. */
  async function unfinished(workloads: readonly Scheduled[], want: Want): Promise<number> {
    let [left, since] = [Number.NaN, 0]
    await eventually(
      `all to be ${want}, or to wait in vain`,
      async () => {
        const now = await wrong(workloads, want)
        if (now !== left) [left, since] = [now, performance.now()]
        return left === 0 || performance.now() - since > PATIENCE
      },
      { timeout: 120_000, pause: 300 },
    )
    return left
  }

  async function wrong(workloads: readonly Scheduled[], want: Want): Promise<number> {
    const found = new Map((await here.list(kind)).map((object) => [object.metadata.name, object]))
    return workloads.filter((workload) => {
      const object = found.get(workload.name)
      return object === undefined || !isAtRest(object, workload, want)
    }).length
  }

  async function relisted(): Promise<void> {
    const list = here.proxy.calls.length
    const watch = await eventually('a watch', () => here.proxy.watches(kind)[0])
    watch.say({ type: 'ERROR', object: statusOf(410) })
    await eventually('a list', () =>
      here.proxy.calls.slice(list).some(({ verb, resource }) => verb === 'list' && resource === kind),
    )
  }

  /** For a DaemonSet, the number of nodes. */
  async function replicasOf(): Promise<number> {
    const { current_replicas: count } = await (await here.create(kind, 'one')).status()
    return kind === 'daemonsets' ? count : 1
  }
}
