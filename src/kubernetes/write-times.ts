/** Milliseconds that a write of the controller may take. */
const LIMIT = {
  ordinary: 5000,
  /** An ordinary one, where writes behind a slow admission webhook succeed. */
  patient: 10_000,
  /** Admission webhooks may take 30 s. */
  slow: 35_000,
} as const
/** A write may take so many times as long as the slowest one that has lately succeeded. */
const PATIENCE = 1.5
/** Milliseconds for which such a success counts. */
const LATELY_MS = 600_000
/** The most keys that are remembered as slow. */
const SLOW_KEYS = 10_000

/** How long writes took, and so how long the next ones may take. In milliseconds; `now` is monotonic. */
export class WriteTimes {
  /** The keys whose last write was slow. */
  readonly #slow = new Set<string>()
  /** The milliseconds that an ordinary write gets until that instant; afterwards the usual time. */
  #patience: { readonly limit: number; readonly until: number } = { limit: LIMIT.ordinary, until: 0 }

  isSlow(key: string): boolean {
    return this.#slow.has(key)
  }

  limitOf(slow: boolean, now: number): number {
    return slow ? LIMIT.slow : this.#ordinary(now)
  }

  /** The write was answered. */
  took(key: string, milliseconds: number, now: number): void {
    this.#remember(key, milliseconds > this.#ordinary(now))
  }

  /** It was also carried out, which proves that such a time is not that of a write that hangs. */
  succeeded(key: string, milliseconds: number, now: number): void {
    if (milliseconds > LIMIT.ordinary / PATIENCE) {
      const limit = Math.min(LIMIT.patient, Math.max(this.#ordinary(now), milliseconds * PATIENCE))
      this.#patience = { limit, until: now + LATELY_MS }
    }
    this.took(key, milliseconds, now)
  }

  /** It had no answer in its time. */
  hung(key: string): void {
    this.#patience = { limit: LIMIT.ordinary, until: 0 }
    this.#remember(key, true)
  }

  #ordinary(now: number): number {
    return now < this.#patience.until ? this.#patience.limit : LIMIT.ordinary
  }

  #remember(key: string, isSlow: boolean): void {
    this.#slow.delete(key)
    if (isSlow) this.#slow.add(key)
    const [oldest] = this.#slow
    if (oldest !== undefined && this.#slow.size > SLOW_KEYS) this.#slow.delete(oldest)
  }
}
