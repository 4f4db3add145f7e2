import type { Clock, Instant } from '../../clock.ts'

/** Calls back after so many milliseconds; returns how to call that off. */
export type Later = (callback: () => void, milliseconds: number) => () => void

const systemLater: Later = (callback, milliseconds) => {
  const timeout = setTimeout(callback, milliseconds)
  return () => clearTimeout(timeout)
}

/** Timeouts beyond 2^31 - 1 ms fire at once, and clocks jump: look at the clock at least this often. */
const LONGEST_SLEEP_MS = 60_000

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
    const sleep = Math.min(LONGEST_SLEEP_MS, Math.max(0, at - this.#clock()))
    this.#disarm = this.#later(ring, Math.ceil(sleep))
  }

  clear(): void {
    this.#disarm?.()
    this.#disarm = undefined
  }
}
