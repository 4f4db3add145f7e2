import type { Instant } from '../../service/process/clock.ts'
import { counted, iso } from '../text.ts'

/** A workload that the edge of a wave wakes. */
export interface WaveMember {
  readonly order: number
  /** Whether it is still asleep, or its pods are not ready yet. */
  readonly pending: boolean
}

/** What a wake waits for. */
export interface WakeWait {
  /** At the latest it wakes then. */
  readonly until: Instant
  /** The lower numbers of which something is not ready yet, and how many workloads those are. */
  readonly orders: readonly number[]
  readonly workloads: number
}

/**
 * What a member of this number waits for; undefined: it may wake now. It waits no longer than the edge and so many
 * timeouts (milliseconds) as there are lower numbers.
 */
export function waitIn(
  { edge, members, timeout }: { edge: Instant; members: Iterable<WaveMember>; timeout: number },
  order: number,
  now: Instant,
): WakeWait | undefined {
  const lower = [...members].filter((member) => member.order < order)
  const until = edge + timeout * new Set(lower.map((member) => member.order)).size
  const pending = lower.filter((member) => member.pending)
  if (now >= until || pending.length === 0) return undefined
  const orders = [...new Set(pending.map((member) => member.order))].sort((a, b) => a - b)
  return { until, orders, workloads: pending.length }
}

/** `waits for 2 workloads of wake order 1 and 3 to be ready, at most until …`, with what comes then. */
export function waitText({ until, orders, workloads }: WakeWait, then: string): string {
  const numbers = orders.join(', ').replace(/, (?=\d$)/, ' and ')
  return `waits for ${counted(workloads, 'workload')} of wake order ${numbers} to be ready, at most until ${iso(until)} (then: ${then})`
}
