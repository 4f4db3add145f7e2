import { decide } from '../../domain/deciding/decide.ts'
import type { Rules } from '../../domain/deciding/rules.ts'
import { situationOf } from '../../domain/deciding/situation.ts'
import {
  memberOf,
  orderOf,
  movingEdge,
  waitIn,
  type OrderWait,
  type WaveMember,
} from '../../domain/deciding/order.ts'
import type { Edge } from '../../domain/schedule/schedule.ts'
import { readWorkload } from '../../domain/workload/reading.ts'
import { Unreadable } from '../../domain/workload/state-codec.ts'
import type { Workload } from '../../domain/workload/workload.ts'
import type { Instant } from '../../process/clock.ts'

type WaitOf = NonNullable<Rules['waitOf']>

/** Notes in `namespaces` where an edge is to move something, and knows no wait. */
export function noting(namespaces: Set<string>): WaitOf {
  return (workload, decision) => {
    if (movingEdge(workload, decision) !== undefined) namespaces.add(workload.namespace)
    return undefined
  }
}

/** The waits by order among these workloads, as the service has them; `timeout`: wakeOrderTimeout, in milliseconds. */
export function waitsAmong(workloads: readonly Workload[], rules: Rules, timeout: number): WaitOf {
  const waves = new Map<string, readonly WaveMember[]>()
  return (workload, decision, now): OrderWait | undefined => {
    const edge = movingEdge(workload, decision)
    if (edge === undefined) return undefined
    const { namespace } = workload
    const order = orderOf(workload, edge.to)
    // Mostly nobody names a number: then nothing has to be decided.
    if (!workloads.some((each) => each.namespace === namespace && orderOf(each, edge.to) < order))
      return undefined
    const key = `${namespace} ${edge.to} ${edge.at}`
    const members = waves.get(key) ?? membersOf(namespace, edge, now)
    waves.set(key, members)
    return waitIn({ edge, members, timeout }, order, now)
  }

  function membersOf(namespace: string, edge: Edge, now: Instant): WaveMember[] {
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
