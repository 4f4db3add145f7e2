import type { Instant } from '../clock.ts'
import type { Priority } from './ports.ts'

/** Milliseconds: the first backoff, doubled each time, and the longest. */
const BACKOFFS = {
  /** The cluster will refuse again, or our own code fails over this workload: there is no hurry. */
  refused: [10_000, 600_000],
  /** No answer, or a lost race: everything is to be caught up within 5 s of the cluster's return. */
  unavailable: [100, 2_000],
} as const
export type FailureReason = keyof typeof BACKOFFS

/** A write that is due; two of one priority differ by the instant that made them due. */
export interface Due {
  readonly priority: Priority
  /** undefined: not the clock made it due. */
  readonly dueAt: Instant | undefined
}

/** How often in a row something failed, and until when it is not tried again. */
export interface Failure {
  readonly times: number
  /** Monotonic milliseconds. */
  readonly notBefore: number
  readonly why: FailureReason
  /** undefined: it is not known what was to be written, so everything waits. */
  readonly tried: Due | undefined
}

/** The failure that follows `before`; `now` is monotonic, `random` in [0, 1). */
export function failureAfter(
  before: Failure | undefined,
  why: FailureReason,
  tried: Due | undefined,
  now: number,
  random: number,
): Failure {
  const times = before && mayBeSame(before.tried, tried) ? before.times + 1 : 1
  return { times, notBefore: now + backoff(why, times, random), why, tried }
}

/** What is due instead of what failed need not wait for it. */
export function mayBeSame(a: Due | undefined, b: Due | undefined): boolean {
  return !a || !b || (a.priority === b.priority && a.dueAt === b.dueAt)
}

/** Milliseconds to wait after the given number of failures in a row (from 1); `random` in [0, 1) spreads them over the second half. */
export function backoff(why: FailureReason, times: number, random: number): number {
  const [base, max] = BACKOFFS[why]
  return Math.ceil(Math.min(max, base * 2 ** Math.min(times - 1, 20)) * (0.5 + random / 2))
}
