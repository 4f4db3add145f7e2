/** What rounding may keep back of a token. */
const ROUNDING = 1e-9

/**
 * Lets through `perSecond` on average and `burst` at once: in any span of t seconds at most burst + perSecond × t.
 * Time is what the caller says, in milliseconds; time that runs backwards counts as none.
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

  /** Milliseconds until a token is there; 0: now. */
  wait(now: number): number {
    const elapsed = Math.max(0, now - (this.#at ?? now))
    this.#at = now
    this.#tokens = Math.min(this.#burst, this.#tokens + (elapsed / 1000) * this.#perSecond)
    const missing = 1 - this.#tokens
    return missing <= ROUNDING ? 0 : Math.ceil((missing / this.#perSecond) * 1000)
  }

  /** Only where `wait` has just said 0. */
  take(): void {
    this.#tokens -= 1
  }

  /** Gives back what was taken for something that did not count. */
  giveBack(): void {
    this.#tokens = Math.min(this.#burst, this.#tokens + 1)
  }
}
