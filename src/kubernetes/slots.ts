/** Milliseconds: a write that takes longer than this makes room for another. Most take a hundredth of it. */
const SLOW_MS = 1000

/**
 * Places for writes in flight: `quick` of them in the steady state. A write that is slow gives its place to another, so
 * that those which hang in somebody's admission webhook hold up no other; of these there may be `slow` more.
 * Times are monotonic milliseconds.
 */
export class Slots {
  readonly #quick: number
  readonly #slow: number
  /** When those in flight began, oldest first. */
  readonly #inFlight = new Set<{ readonly since: number }>()

  constructor(quick: number, slow: number) {
    this.#quick = quick
    this.#slow = slow
  }

  /** Milliseconds until there is a place unless one ends before; infinite: not until then. */
  wait(now: number): number {
    let slow = 0
    for (const { since } of this.#inFlight) {
      if (this.#inFlight.size - slow < this.#quick) return 0
      if (slow === this.#slow) return Number.POSITIVE_INFINITY
      if (now - since < SLOW_MS) return since + SLOW_MS - now
      slow++
    }
    return this.#inFlight.size - slow < this.#quick ? 0 : Number.POSITIVE_INFINITY
  }

  /** Takes a place; the function returned gives it back. */
  take(now: number): () => void {
    const place = { since: now }
    this.#inFlight.add(place)
    return () => void this.#inFlight.delete(place)
  }
}
