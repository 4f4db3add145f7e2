/** So many times within ten minutes may be an upgrade, or a hand; more is another Dormouse. */
const TOLERATED = 3
const WINDOW_MS = 10 * 60_000
const FIRST_REST_MS = 10_000
const LONGEST_REST_MS = 10 * 60_000

/** How often somebody else pointed the webhook configuration elsewhere, and how long we rest before we take it back. */
export class Contest {
  #times = 0
  #latest = -Infinity

  /**
   * It was found to point elsewhere at `now` (monotonic milliseconds). Returns how many milliseconds to rest: 0 at first,
   * then 10 s and twice as long each time, at most ten minutes; all is forgotten after ten minutes of peace.
   */
  lost(now: number): number {
    if (now - this.#latest > WINDOW_MS + this.#rest()) this.#times = 0
    this.#latest = now
    this.#times += 1
    return this.#rest()
  }

  #rest(): number {
    const beyond = this.#times - TOLERATED
    return beyond <= 0 ? 0 : Math.min(LONGEST_REST_MS, FIRST_REST_MS * 2 ** (beyond - 1))
  }
}
