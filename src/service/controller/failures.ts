import type { Priority } from '../../kubernetes/ports.ts'
import type { Instant, Monotonic } from '../process/clock.ts'

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
  /** undefined: not due by time. */
  readonly dueAt: Instant | undefined
}

interface Failure {
  /** In a row. */
  readonly times: number
  readonly notBefore: number
  readonly why: FailureReason
  /** undefined: it is not known what was to be written. */
  readonly tried: Due | undefined
}

/** The latest failure of each key, and until when it is waited out; times are monotonic milliseconds. */
export class Failures {
  readonly #failures = new Map<string, Failure>()
  readonly #monotonic: Monotonic
  readonly #random: () => number

  /** `random` gives [0, 1). */
  constructor(monotonic: Monotonic, random: () => number = Math.random) {
    this.#monotonic = monotonic
    this.#random = random
  }

  /** Returns the end of its backoff: now, unless it waits. */
  add(key: string, why: FailureReason, tried: Due | undefined, waits = true): number {
    const before = this.#failures.get(key)
    const times = before && mayBeSame(before.tried, tried) ? before.times + 1 : 1
    const notBefore = this.#monotonic() + (waits ? backoff(why, times, this.#random()) : 0)
    this.#failures.set(key, { times, notBefore, why, tried })
    return notBefore
  }

  /** The end of the backoff that this task waits for; undefined: none. What is due instead of what failed need not wait. */
  backoffOf(key: string, task: Due): number | undefined {
    const failure = this.#current(key)
    return failure && mayBeSame(failure.tried, task) ? failure.notBefore : undefined
  }

  /** Whether the key waits out a failure of which nobody knows what was tried. */
  isBlocked(key: string): boolean {
    const failure = this.#current(key)
    return failure !== undefined && !failure.tried
  }

  /** Forgets a failure of which nobody knows what was tried; true: there was one. */
  unblock(key: string): boolean {
    const failure = this.#failures.get(key)
    return failure !== undefined && !failure.tried && this.#failures.delete(key)
  }

  /** The cluster answers again: what failed for want of an answer waits no longer. */
  reachable(key: string): void {
    if (this.#failures.get(key)?.why === 'unavailable') this.delete(key)
  }

  delete(key: string): void {
    this.#failures.delete(key)
  }

  clear(): void {
    this.#failures.clear()
  }

  #current(key: string): Failure | undefined {
    const failure = this.#failures.get(key)
    return failure && failure.notBefore > this.#monotonic() ? failure : undefined
  }
}

function mayBeSame(a: Due | undefined, b: Due | undefined): boolean {
  return !a || !b || (a.priority === b.priority && a.dueAt === b.dueAt)
}

/** Milliseconds to wait after the given number of failures in a row (from 1); `random` in [0, 1) spreads them over the second half. */
export function backoff(why: FailureReason, times: number, random: number): number {
  const [base, max] = BACKOFFS[why]
  return Math.ceil(Math.min(max, base * 2 ** Math.min(times - 1, 20)) * (0.5 + random / 2))
}
