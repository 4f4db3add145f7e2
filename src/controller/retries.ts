import type { Instant } from '../clock.ts'

/** Milliseconds: the first delay, doubled each time, and the longest. */
const DELAYS = {
  /** The cluster will say no again, or we fail over this workload: there is no hurry. */
  refused: [10_000, 600_000],
  /** No answer, or a lost race: everything is to be caught up within 5 s of the cluster's return. */
  unavailable: [100, 2_000],
} as const
export type Failure = keyof typeof DELAYS

/** How long each key that failed waits before it is tried again. */
export class Retries {
  readonly #failures = new Map<string, { times: number; notBefore: Instant }>()
  readonly #random: () => number

  /** `random` gives [0, 1). */
  constructor(random: () => number = Math.random) {
    this.#random = random
  }

  notBefore(key: string): Instant | undefined {
    return this.#failures.get(key)?.notBefore
  }

  failed(key: string, why: Failure, now: Instant): Instant {
    const times = (this.#failures.get(key)?.times ?? 0) + 1
    const [base, max] = DELAYS[why]
    const delay = Math.min(max, base * 2 ** Math.min(times - 1, 20)) * (0.5 + this.#random() / 2)
    const notBefore = now + Math.ceil(delay)
    this.#failures.set(key, { times, notBefore })
    return notBefore
  }

  succeeded(key: string): void {
    this.#failures.delete(key)
  }

  clear(): void {
    this.#failures.clear()
  }
}
