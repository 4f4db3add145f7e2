/** Counts the time during which it runs; `now` is monotonic, so no clock that is set changes what it counts. */
export class Stopwatch {
  #since: number | undefined
  #before = 0

  start(now: number): void {
    this.#since ??= now
  }

  stop(now: number): void {
    this.#before = this.seconds(now)
    this.#since = undefined
  }

  /** Seconds counted up to now. */
  seconds(now: number): number {
    return this.#before + (this.#since === undefined ? 0 : (now - this.#since) / 1000)
  }
}
