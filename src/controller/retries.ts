import type { Instant } from '../clock.ts'
import type { Priority } from './ports.ts'

/** Milliseconds: the first delay, doubled each time, and the longest. */
const DELAYS = {
  /** The cluster will say no again, or we fail over this workload: there is no hurry. */
  refused: [10_000, 600_000],
  /** No answer, or a lost race: everything is to be caught up within 5 s of the cluster's return. */
  unavailable: [100, 2_000],
} as const
export type Failure = keyof typeof DELAYS

/** What there is to write about a workload; two of the same priority differ by the instant that made them due. */
export interface Due {
  readonly priority: Priority
  /** undefined: not the clock made it due. */
  readonly dueAt: Instant | undefined
}

interface Failed {
  readonly times: number
  /** Monotonic. */
  readonly notBefore: number
  readonly why: Failure
  /** undefined: it was not known what to write, so everything waits. */
  readonly tried: Due | undefined
}

/** How long what failed waits before it is tried again. Times are monotonic, in milliseconds. */
export class Retries {
  readonly #failures = new Map<string, Failed>()
  readonly #random: () => number

  /** `random` gives [0, 1). */
  constructor(random: () => number = Math.random) {
    this.#random = random
  }

  /** Until when nothing at all is tried for this key. */
  blockedUntil(key: string): number | undefined {
    const failed = this.#failures.get(key)
    return failed?.tried === undefined ? failed?.notBefore : undefined
  }

  /** When this may be tried. What is due now instead of what failed does not wait for it. */
  notBefore(key: string, due: Due): number | undefined {
    const failed = this.#failures.get(key)
    return failed && mayBeSame(failed.tried, due) ? failed.notBefore : undefined
  }

  /** Returns when to try again. */
  failed(key: string, why: Failure, tried: Due | undefined, now: number): number {
    const before = this.#failures.get(key)
    const times = before && mayBeSame(before.tried, tried) ? before.times + 1 : 1
    const notBefore = now + retryDelay(why, times, this.#random())
    this.#failures.set(key, { times, notBefore, why, tried })
    return notBefore
  }

  succeeded(key: string): void {
    this.#failures.delete(key)
  }

  /** The cluster is back: what waited for it alone waits no longer. */
  reachable(key: string): void {
    if (this.#failures.get(key)?.why === 'unavailable') this.#failures.delete(key)
  }

  clear(): void {
    this.#failures.clear()
  }
}

function mayBeSame(a: Due | undefined, b: Due | undefined): boolean {
  return !a || !b || (a.priority === b.priority && a.dueAt === b.dueAt)
}

/** Milliseconds to wait after so many failures in a row (from 1); `random` in [0, 1) spreads them over its second half. */
export function retryDelay(why: Failure, times: number, random: number): number {
  const [base, max] = DELAYS[why]
  return Math.ceil(Math.min(max, base * 2 ** Math.min(times - 1, 20)) * (0.5 + random / 2))
}
