/** A token that lacks only this much counts as whole: floating-point numbers are rounded. */
const ROUNDING = 1e-9

/**
 * A token bucket: `perSecond` on average, `burst` at once, and at most burst + perSecond × t in any t seconds. The
 * caller passes the time in milliseconds; a clock that is set back adds no tokens.
 */
export class TokenBucket {
  readonly #perSecond: number
  readonly #burst: number
  #tokens: number
  #at: number | undefined

  constructor(perSecond: number, burst: number) {
    this.#perSecond = perSecond
    this.#burst = burst
    this.#tokens = burst
  }

  /** Milliseconds until there is a token; 0: there is one. */
  wait(now: number): number {
    const elapsed = Math.max(0, now - (this.#at ?? now))
    this.#at = now
    this.#tokens = Math.min(this.#burst, this.#tokens + (elapsed / 1000) * this.#perSecond)
    const missing = 1 - this.#tokens
    return missing <= ROUNDING ? 0 : Math.ceil((missing / this.#perSecond) * 1000)
  }

  /** Takes a token; only after `wait` has returned 0. */
  take(): void {
    this.#tokens -= 1
  }

  /** Returns a token that was not needed. */
  giveBack(): void {
    this.#tokens = Math.min(this.#burst, this.#tokens + 1)
  }
}
