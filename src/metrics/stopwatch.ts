import type { Instant } from '../clock.ts'

/** Counts the time during which it runs; never goes back, even if the clock does. */
export class Stopwatch {
  #since: Instant | undefined
  #before = 0
  #latest = 0

  start(now: Instant): void {
    this.#since ??= now
  }

  stop(now: Instant): void {
    this.#before = this.seconds(now)
    this.#since = undefined
  }

  /** Seconds counted up to now. */
  seconds(now: Instant): number {
    const running = this.#since === undefined ? 0 : (now - this.#since) / 1000
    this.#latest = Math.max(this.#latest, this.#before + running)
    return this.#latest
  }
}
