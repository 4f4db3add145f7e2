import { expect } from 'chai'
import { ANNOTATION, type Kind } from '../../src/domain/workload/workload.ts'
import { agree, marksOf } from '../e2e/agreement.ts'
import { eventually } from '../support/eventually.ts'
import type { KubectlObject } from '../support/kubectl.ts'
import { asleepNow, awakeNow } from '../support/schedules.ts'
import { hasFollowed, type Served } from '../support/served.ts'
import type { Called } from './called.ts'
import type { FaultProxy } from './fault-proxy.ts'

/** The most operations that a workload's history has. */
const HISTORY = 20

export type Want = 'asleep' | 'awake'

/** A workload whose schedule is changed back and forth, and the expected result. */
export interface Scheduled {
  readonly kind: Kind
  readonly name: string
  /** Replicas when awake; of a DaemonSet, the number of nodes. */
  readonly count: number
}

/** Gives it another schedule by its annotation, as a person would. */
export async function reschedule(here: Served, { kind, name }: Scheduled, want: Want): Promise<void> {
  const annotations = { [ANNOTATION.schedule]: want === 'asleep' ? asleepNow() : awakeNow() }
  await here.cluster.admin.expect('PATCH', here.path(kind, name), { metadata: { annotations } })
}

/**
 * Resolves once it is as wanted, its pods have followed, the result is recorded, and object and API agree; returns
 * when it was so at the API server, by `performance.now()`.
 * @throws AssertionError if it has not done exactly so many `operations` since it was created
 */
export async function comesToRest(
  here: Served,
  workload: Scheduled,
  want: Want,
  { operations, timeout = 60_000 }: { operations: number; timeout?: number },
): Promise<number> {
  const { kind, name } = workload
  const object = await eventually(
    `${kind}/${name} to be ${want}`,
    async () => {
      const found = (await here.cluster.admin.expect('GET', here.path(kind, name))) as unknown
      return isAtRest(found as KubectlObject, workload, want) && (found as KubectlObject)
    },
    { timeout },
  )
  const at = performance.now()
  await agree(here, kind, name, timeout)
  expect(marksOf(object).state?.history, `${name}: each operation once`).to.have.length(
    Math.min(operations, HISTORY),
  )
  return at
}

export function isAtRest(object: KubectlObject, { count }: Scheduled, want: Want): boolean {
  const { replicas, label, state } = marksOf(object)
  if (!hasFollowed(object) || (state?.asleep ?? false) !== (want === 'asleep')) return false
  if (want === 'asleep') return replicas === 0 && label === String(count)
  // The result of a wake is recorded by a write of its own, that of a snooze by the next write.
  const { result = 'succeeded' } = state?.history[0] ?? {}
  return replicas === count && label === undefined && result === 'succeeded'
}

/** Resolves once Dormouse has written nothing for two seconds, of those that `counts`. */
export async function patchesEnd(
  proxy: FaultProxy,
  counts: (called: Called) => boolean = () => true,
): Promise<void> {
  let [seen, since] = [-1, 0]
  await eventually('the writes to end', () => {
    const now = proxy.calls.filter((called) => called.writes && counts(called)).length
    if (now !== seen) [seen, since] = [now, performance.now()]
    return performance.now() - since > 2000
  })
}
