import type { Priority } from '../../kubernetes/ports.ts'
import type { Instant } from '../../process/clock.ts'

/** Milliseconds: the first backoff, doubled each time, and the longest. */
const BACKOFFS = {
  /** The cluster will refuse again, or our own code fails over this workload: there is no hurry. */
  refused: [10_000, 600_000],
  /** No answer, or a lost race: all writes must be caught up within 5 s of the cluster's return. */
  unavailable: [100, 2_000],
} as const
export type FailureReason = keyof typeof BACKOFFS

/** A write that is due; two of one priority differ by the instant that made them due. */
export interface Due {
  readonly priority: Priority
  /** undefined: not due by time. */
  readonly dueAt: Instant | undefined
  /** Monotonic: when it may be another write, which nobody else notices; undefined: somebody does. */
  readonly changesAt?: number | undefined
}

/** The latest failure of a key. */
export interface Failure {
  readonly why: FailureReason
  /** undefined: the intended write is unknown. */
  readonly tried: Due | undefined
  /** In a row. */
  readonly times: number
  /** Monotonic: the end of its backoff. */
  readonly notBefore: number
}

/** How many failures in a row this one makes. */
export function timesInARow(before: Failure | undefined, tried: Due | undefined): number {
  return before && mayBeSame(before.tried, tried) ? before.times + 1 : 1
}

/** Whether the task waits out this failure; a different task need not. `now` is monotonic. */
export function holdsUp({ notBefore, tried }: Failure, task: Due, now: number): boolean {
  return notBefore > now && mayBeSame(tried, task)
}

/** Milliseconds to wait after the given number of failures in a row (from 1); `random` in [0, 1) spreads them over the second half. */
export function backoff(why: FailureReason, times: number, random: number): number {
  const [base, max] = BACKOFFS[why]
  return Math.ceil(Math.min(max, base * 2 ** Math.min(times - 1, 20)) * (0.5 + random / 2))
}

function mayBeSame(a: Due | undefined, b: Due | undefined): boolean {
  return !a || !b || (a.priority === b.priority && a.dueAt === b.dueAt)
}
