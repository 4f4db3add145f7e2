/** Milliseconds after which a write in flight makes room for another. Most take a hundredth of it. */
const SLOW_MS = 1000

/**
 * Places for writes in flight: `quick` of them in the steady state. A slow write gives its place to another, so that
 * writes that hang in somebody's admission webhook delay no others; at most `slow` such writes are in flight on top.
 * It may widen to `widest` places. Times are monotonic milliseconds.
 */
export class Slots {
  readonly #narrow: number
  readonly #widest: number
  #quick: number
  readonly #slow: number
  /** When those in flight began, oldest first. */
  readonly #inFlight = new Set<{ readonly since: number }>()

  constructor(quick: number, slow: number, widest = quick) {
    this.#narrow = quick
    this.#widest = widest
    this.#quick = quick
    this.#slow = slow
  }

  /** Gives one place more, where it may. */
  widen(): void {
    this.#quick = Math.min(this.#widest, this.#quick + 1)
  }

  /** Goes back to as many as in the beginning. */
  narrow(): void {
    this.#quick = this.#narrow
  }

  /** Milliseconds until there is a place even if no write ends before; infinite: only once one ends. */
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

  /** Takes a place; the returned function releases it. */
  take(now: number): () => void {
    const place = { since: now }
    this.#inFlight.add(place)
    return () => void this.#inFlight.delete(place)
  }
}
