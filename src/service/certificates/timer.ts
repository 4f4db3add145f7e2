import { LONGEST_SLEEP, systemLater, type Clock, type Instant, type Later } from '../process/clock.ts'

/** One timeout, armed again and again. It may fire early, so `fire` looks at the clock. */
export class Timer {
  readonly #fire: () => void
  readonly #clock: Clock
  readonly #later: Later
  #cancel: (() => void) | undefined

  constructor(fire: () => void, clock: Clock, later: Later = systemLater) {
    this.#fire = fire
    this.#clock = clock
    this.#later = later
  }

  /** Replaces the instant that was set before. */
  set(at: Instant): void {
    this.clear()
    const sleep = Math.min(LONGEST_SLEEP, Math.max(0, at - this.#clock()))
    this.#cancel = this.#later(this.#fire, Math.ceil(sleep))
  }

  clear(): void {
    this.#cancel?.()
    this.#cancel = undefined
  }
}
