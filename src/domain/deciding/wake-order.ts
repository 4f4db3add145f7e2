import type { Instant } from '../../process/clock.ts'
import type { Decision } from './decision.ts'
import type { State } from '../workload/state.ts'
import { counted, iso } from '../text.ts'
import { ANNOTATION, looksAsleep, podsFollowed, type Workload } from '../workload/workload.ts'

const DEFAULT = 5

/** From 0 to 9: at a wake edge lower ones wake first. An unreadable one counts as the default. */
export function wakeOrderOf({ annotations: { wakeOrder } }: Workload): number {
  return wakeOrder !== undefined && /^\d$/.test(wakeOrder) ? Number(wakeOrder) : DEFAULT
}

/** The fault of the annotation; undefined: none. */
export function wakeOrderFault({ annotations: { wakeOrder = '' } }: Workload): string | undefined {
  const fault = orderFault(wakeOrder)
  return fault === undefined ? undefined : `${ANNOTATION.wakeOrder}: ${fault}; until then ${DEFAULT} counts`
}

/** The fault of the annotation's text; undefined: none. */
export function orderFault(text: string): string | undefined {
  return /^\d?$/.test(text) ? undefined : 'write a number from 0 to 9'
}

/** The edge by which a decision wakes a sleeper; undefined: it does not wake, or something else made it. */
export function wakingEdge(
  workload: Workload,
  { action, intent }: Pick<Decision, 'action' | 'intent'>,
): Instant | undefined {
  const byEdge = action === 'wake' && intent?.trigger === 'schedule' && intent.want === 'awake'
  return byEdge && looksAsleep(workload) ? intent.at : undefined
}

/** The edge that woke it and that nothing has followed since, with whether its pods are ready; undefined: there is none. */
function wokenBy(
  workload: Workload,
  state: State | undefined,
): { readonly edge: Instant; readonly ready: boolean } | undefined {
  const { asleep, intent } = state ?? {}
  if (asleep !== false || intent?.trigger !== 'schedule' || intent.want !== 'awake') return undefined
  return { edge: intent.at, ready: podsFollowed(workload) }
}

/**
 * Its part in the wave of an edge, given its state and the decision about it; undefined: this edge does not wake it. What only delays
 * the wake, such as a backoff, takes it out of no wave: the others need it as much. An override that lasts for longer
 * than `timeout` (milliseconds) after the edge does.
 */
export function memberOf(
  workload: Workload,
  { edge, timeout }: { readonly edge: Instant; readonly timeout: number },
  state: State | undefined,
  decision: Decision,
): WaveMember | undefined {
  const order = wakeOrderOf(workload)
  const { delayed } = decision
  const lasts = delayed?.cause === 'override' && delayed.until >= edge + timeout
  const wanted = delayed && !lasts ? delayed : decision
  if (wakingEdge(workload, wanted) === edge) return { order, pending: true }
  const woken = wokenBy(workload, state)
  return woken?.edge === edge ? { order, pending: !woken.ready } : undefined
}

/** A workload that the edge of a wave wakes. */
export interface WaveMember {
  readonly order: number
  /** Whether it is still asleep, or its pods are not ready yet. */
  readonly pending: boolean
}

/** The wait of a wake for lower numbers. */
export interface WakeWait {
  /** At the latest it wakes then. */
  readonly until: Instant
  /** The lower numbers of which something is not ready yet, and how many workloads those are. */
  readonly orders: readonly number[]
  readonly workloads: number
}

/**
 * The wait of a member with this number; undefined: it may wake now. It ends at the latest one timeout (milliseconds)
 * per lower number after the edge.
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

/** `waits for 2 workloads of wake order 1 and 3 to be ready, at most until …`, with the next step. */
export function waitText({ until, orders, workloads }: WakeWait, then: string): string {
  const numbers = orders.join(', ').replace(/, (?=\d$)/, ' and ')
  return `waits for ${counted(workloads, 'workload')} of wake order ${numbers} to be ready, at most until ${iso(until)} (then: ${then})`
}
