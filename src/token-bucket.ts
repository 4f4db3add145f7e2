/** Lets through `perSecond` on average and `burst` at once. Time is what the caller says, in milliseconds. */
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
    const elapsed = now - (this.#at ?? now)
    this.#at = now
    this.#tokens = Math.min(this.#burst, this.#tokens + (elapsed / 1000) * this.#perSecond)
    return this.#tokens >= 1 ? 0 : Math.ceil(((1 - this.#tokens) / this.#perSecond) * 1000)
  }

  /** Only where `wait` has just said 0. */
  take(): void {
    this.#tokens -= 1
  }
}
