import type { Instant } from '../../process/clock.ts'
import type { Edge, Sleep } from '../schedule/schedule.ts'
import type { Decision } from './decision.ts'
import type { State } from '../workload/state.ts'
import type { OperationType } from '../workload/trigger.ts'
import { counted, iso } from '../text.ts'
import { hasSleepMark } from '../workload/reading.ts'
import { ANNOTATION, type Workload } from '../workload/workload.ts'
import { hasFollowed } from './history.ts'

/** By what an edge makes of a workload: the setting with its number, and what it waits for. */
const ORDERS = {
  awake: { type: 'wake', setting: 'wakeOrder', code: 'wake_order', name: 'wake order', done: 'ready' },
  asleep: { type: 'snooze', setting: 'sleepOrder', code: 'sleep_order', name: 'sleep order', done: 'asleep' },
} as const satisfies Record<Sleep, object>
const DEFAULT = 5

/** From 0 to 9: at an edge to `to` lower ones move first. An unreadable one counts as the default. */
export function orderOf({ annotations }: Workload, to: Sleep): number {
  const text = annotations[ORDERS[to].setting]
  return text !== undefined && /^\d$/.test(text) ? Number(text) : DEFAULT
}

/** Whether somebody has named its number. */
export function hasOrder({ annotations }: Workload, to: Sleep): boolean {
  return (annotations[ORDERS[to].setting] ?? '') !== ''
}

/** The fault of its numbers; undefined: none. */
export function orderFault({ annotations }: Workload): string | undefined {
  for (const { setting } of Object.values(ORDERS)) {
    const fault = numberFault(annotations[setting] ?? '')
    if (fault !== undefined) return `${ANNOTATION[setting]}: ${fault}; until then ${DEFAULT} counts`
  }
  return undefined
}

/** The fault of a number's text; undefined: none. */
export function numberFault(text: string): string | undefined {
  return /^\d?$/.test(text) ? undefined : 'write a number from 0 to 9'
}

/** The edge by which a decision moves a workload; undefined: it does not move, or something else made it. */
export function movingEdge(
  workload: Workload,
  { action, intent }: Pick<Decision, 'action' | 'intent'>,
): Edge | undefined {
  if (intent?.trigger !== 'schedule' || action !== moveBy({ at: intent.at, to: intent.want }))
    return undefined
  const { at, want: to } = intent
  return hasSleepMark(workload) === (to === 'awake') ? { at, to } : undefined
}

/** How an edge moves workloads. */
export function moveBy({ to }: Edge): OperationType {
  return ORDERS[to].type
}

/** The edge that moved it and that nothing has followed since; undefined: there is none. */
function movedBy({ asleep, intent }: Partial<State>): Edge | undefined {
  if (intent?.trigger !== 'schedule' || asleep !== (intent.want === 'asleep')) return undefined
  return { at: intent.at, to: intent.want }
}

/** Whether two edges move workloads at the same instant in the same direction. */
export function isSameEdge(one: Edge | undefined, other: Edge): boolean {
  return one?.at === other.at && one.to === other.to
}

/**
 * Its part in the wave of an edge, given its state and the decision about it; undefined: this edge does not move it. What only delays
 * the move, such as a backoff, takes it out of no wave: the others need it as much. An override that lasts for longer
 * than `timeout` (milliseconds) after the edge does.
 */
export function memberOf(
  workload: Workload,
  { edge, timeout }: { readonly edge: Edge; readonly timeout: number },
  state: State | undefined,
  decision: Decision,
): WaveMember | undefined {
  const order = orderOf(workload, edge.to)
  const { delayed } = decision
  const lasts = delayed?.cause === 'override' && delayed.until >= edge.at + timeout
  const wanted = delayed && !lasts ? delayed : decision
  if (isSameEdge(movingEdge(workload, wanted), edge)) return { order, pending: true }
  if (!isSameEdge(movedBy(state ?? {}), edge)) return undefined
  return { order, pending: !hasFollowed(ORDERS[edge.to], workload, state) }
}

/** A workload that the edge of a wave moves. */
export interface WaveMember {
  readonly order: number
  /** Whether it is still to move, or its pods have not followed yet. */
  readonly pending: boolean
}

/** The wait of a move for lower numbers. */
export interface OrderWait {
  readonly to: Sleep
  /** At the latest it moves then. */
  readonly until: Instant
  /** The lower numbers of which something has not followed yet, and how many workloads those are. */
  readonly orders: readonly number[]
  readonly workloads: number
}

/**
 * The wait of a member with this number; undefined: it may move now. It ends at the latest one timeout (milliseconds)
 * per lower number after the edge.
 */
export function waitIn(
  { edge, members, timeout }: { edge: Edge; members: Iterable<WaveMember>; timeout: number },
  order: number,
  now: Instant,
): OrderWait | undefined {
  const lower = [...members].filter((member) => member.order < order)
  const until = edge.at + timeout * new Set(lower.map((member) => member.order)).size
  const pending = lower.filter((member) => member.pending)
  if (now >= until || pending.length === 0) return undefined
  const orders = [...new Set(pending.map((member) => member.order))].sort((a, b) => a - b)
  return { to: edge.to, until, orders, workloads: pending.length }
}

/** The code of a reason that is such a wait. */
export function waitCode({ to }: OrderWait): string {
  return ORDERS[to].code
}

/** `waits for 2 workloads of wake order 1 and 3 to be ready, at most until …`, with the next step. */
export function waitText({ to, until, orders, workloads }: OrderWait, then: string): string {
  const { name, done } = ORDERS[to]
  const numbers = orders.join(', ').replace(/, (?=\d$)/, ' and ')
  return `waits for ${counted(workloads, 'workload')} of ${name} ${numbers} to be ${done}, at most until ${iso(until)} (then: ${then})`
}
