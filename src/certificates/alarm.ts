import { LONGEST_SLEEP, systemLater, type Clock, type Instant, type Later } from '../clock.ts'

/** One armed timeout for one instant; it may ring early, and whoever set it looks at the clock. */
export class Alarm {
  readonly #clock: Clock
  readonly #later: Later
  #disarm: (() => void) | undefined

  constructor(clock: Clock, later: Later = systemLater) {
    this.#clock = clock
    this.#later = later
  }

  /** Replaces what was set before. */
  set(at: Instant, ring: () => void): void {
    this.clear()
    const sleep = Math.min(LONGEST_SLEEP, Math.max(0, at - this.#clock()))
    this.#disarm = this.#later(ring, Math.ceil(sleep))
  }

  clear(): void {
    this.#disarm?.()
    this.#disarm = undefined
  }
}
