import { systemMonotonic, type Monotonic } from './clock.ts'

const TICK_MS = 1000
/** Work of ours that blocks the event loop for so long would be a fault of its own. */
const STOOD_STILL_MS = 5000

/** Notices that this process stood still for more than 5 s, as one does that is suspended (SIGSTOP, a paused machine). */
export class Standstill {
  readonly #monotonic: Monotonic
  #ticked: number
  /** When the latest one ended. */
  #ended = -Infinity

  constructor(monotonic: Monotonic = systemMonotonic) {
    this.#monotonic = monotonic
    this.#ticked = monotonic()
    setInterval(() => this.#look(), TICK_MS).unref()
  }

  /** Whether it stood still since that instant of monotonic time. */
  since(instant: number): boolean {
    // After a standstill, data at the sockets is read before timers fire.
    this.#look()
    return this.#ended > instant
  }

  #look(): void {
    const now = this.#monotonic()
    if (now - this.#ticked > STOOD_STILL_MS) this.#ended = now
    this.#ticked = now
  }
}

let ofProcess: Standstill | undefined

/** One for all who ask: it costs a tick a second. */
export function standstill(): Standstill {
  ofProcess ??= new Standstill()
  return ofProcess
}
