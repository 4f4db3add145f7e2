import { decide } from '../../domain/deciding/decide.ts'
import type { Rules } from '../../domain/deciding/rules.ts'
import { situationOf } from '../../domain/deciding/situation.ts'
import {
  memberOf,
  wakeOrderOf,
  wakingEdge,
  waitIn,
  type WakeWait,
  type WaveMember,
} from '../../domain/deciding/wake-order.ts'
import { readWorkload } from '../../domain/workload/reading.ts'
import { Unreadable } from '../../domain/workload/state-codec.ts'
import type { Workload } from '../../domain/workload/workload.ts'
import type { Instant } from '../../process/clock.ts'

type WaitOf = NonNullable<Rules['waitOf']>

/** Notes in `namespaces` where an edge is to wake something, and knows no wait. */
export function noting(namespaces: Set<string>): WaitOf {
  return (workload, decision) => {
    if (wakingEdge(workload, decision) !== undefined) namespaces.add(workload.namespace)
    return undefined
  }
}

/** The waits by wake-order among these workloads, as the service has them; `timeout`: wakeOrderTimeout, in milliseconds. */
export function waitsAmong(workloads: readonly Workload[], rules: Rules, timeout: number): WaitOf {
  const waves = new Map<string, readonly WaveMember[]>()
  return (workload, decision, now): WakeWait | undefined => {
    const edge = wakingEdge(workload, decision)
    if (edge === undefined) return undefined
    const { namespace } = workload
    const order = wakeOrderOf(workload)
    // Mostly nobody names a number: then nothing has to be decided.
    if (!workloads.some((each) => each.namespace === namespace && wakeOrderOf(each) < order)) return undefined
    const key = `${namespace} ${edge}`
    const members = waves.get(key) ?? membersOf(namespace, edge, now)
    waves.set(key, members)
    return waitIn({ edge, members, timeout }, order, now)
  }

  function membersOf(namespace: string, edge: Instant, now: Instant): WaveMember[] {
    return workloads
      .filter((each) => each.namespace === namespace)
      .flatMap((each) => {
        const read = readWorkload(each, rules)
        if (read instanceof Unreadable) return []
        const decision = decide(situationOf(read, now, rules))
        return memberOf(each, { edge, timeout }, read.written, decision) ?? []
      })
  }
}
