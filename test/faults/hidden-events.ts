import { expect } from 'chai'
import type { Kind } from '../../src/domain/workload.ts'
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
/** Milliseconds: what was not done by then waits for an event that was hidden. */
const PATIENCE = 5000

interface Step {
  readonly title: string
  readonly change: (workload: Scheduled) => Promise<unknown>
  readonly want: Want
}

/**
 * Tests a scenario with as many workloads as each has events; of each workload another event is hidden. Mostly a later
 * event tells what was missed. Where none comes, only a list can, so the watch expires.
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
      const late = await unfinished(workloads, want)
      waited.push(`${title}: ${late}`)
      if (late > 0) await relisted()
      await eventually(`all to be ${want}`, async () => (await wrong(workloads, want)).length === 0, {
        timeout: 60_000,
        pause: 300,
      })
    }
    await patchesEnd(here.proxy)
    await relisted()
    await inParallel(workloads, ({ name }) => agree(here, kind, name), 4)
    const hidden = laid.filter(({ hits }) => hits > 0).length
    print([
      `${kind} on ${here.cluster.name}: ${hidden} events were hidden, one of each workload`,
      `only a list told ${waited.join(', ')}`,
    ])
    expect(hidden).to.be.at.least(LEAST_EVENTS)
  })

  /** How many wait in vain. */
  async function unfinished(workloads: readonly Scheduled[], want: Want): Promise<number> {
    const done = async () => (await wrong(workloads, want)).length === 0
    await eventually('all to follow', done, { timeout: PATIENCE, pause: 300 }).catch(() => {})
    return (await wrong(workloads, want)).length
  }

  async function wrong(workloads: readonly Scheduled[], want: Want): Promise<Scheduled[]> {
    const found = new Map((await here.list(kind)).map((object) => [object.metadata.name, object]))
    return workloads.filter((workload) => {
      const object = found.get(workload.name)
      return object === undefined || !isAtRest(object, workload, want)
    })
  }

  async function relisted(): Promise<void> {
    const list = here.proxy.calls.length
    const watch = await eventually('a watch', () => here.proxy.watches(kind)[0])
    watch.say({ type: 'ERROR', object: statusOf(410) })
    await eventually('a list', () =>
      here.proxy.calls.slice(list).some(({ verb, resource }) => verb === 'list' && resource === kind),
    )
  }

  /** Of a DaemonSet, the number of nodes. */
  async function replicasOf(): Promise<number> {
    const { current_replicas: count } = await (await here.create(kind, 'one')).status()
    return kind === 'daemonsets' ? count : 1
  }
}
