import type { Clock, Monotonic } from './clock.ts'

/** Milliseconds: a clock that moved by more than this against monotonic time was set; by less, it was corrected. */
const CORRECTION = 1000

/** Notices when the clock is set: it goes otherwise than monotonic time then. */
export class ClockJumps {
  readonly #clock: Clock
  readonly #monotonic: Monotonic
  /** By how much the clock was ahead of monotonic time. */
  #ahead: number

  constructor(clock: Clock, monotonic: Monotonic) {
    this.#clock = clock
    this.#monotonic = monotonic
    this.#ahead = clock() - monotonic()
  }

  /** By how many milliseconds it was set since the last call; below 0: back; 0: it was corrected at most. */
  taken(): number {
    const ahead = this.#clock() - this.#monotonic()
    const jump = ahead - this.#ahead
    this.#ahead = ahead
    return Math.abs(jump) < CORRECTION ? 0 : jump
  }
}
