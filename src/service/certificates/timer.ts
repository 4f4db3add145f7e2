import { LONGEST_SLEEP, systemLater, type Clock, type Instant, type Later } from '../../process/clock.ts'

/** One timeout, armed again and again. It may fire early, so `fire` looks at the clock. */
export class Timer {
  readonly #fire: () => void
  readonly #clock: Clock
  readonly #later: Later
  #cancel: (() => void) | undefined
  #at: Instant | undefined

  constructor(fire: () => void, clock: Clock, later: Later = systemLater) {
    this.#fire = fire
    this.#clock = clock
    this.#later = later
  }

  /** The instant that it is set to; undefined: it is not armed. */
  get at(): Instant | undefined {
    return this.#at
  }

  /** Replaces the instant that was set before. */
  set(at: Instant): void {
    this.clear()
    this.#at = at
    const sleep = Math.min(LONGEST_SLEEP, Math.max(0, at - this.#clock()))
    const fire = () => {
      this.#at = undefined
      this.#fire()
    }
    this.#cancel = this.#later(fire, Math.ceil(sleep))
  }

  clear(): void {
    this.#cancel?.()
    this.#cancel = undefined
    this.#at = undefined
  }
}
