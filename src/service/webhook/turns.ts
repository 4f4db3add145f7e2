import { setTimeout as delay } from 'node:timers/promises'
import { PartyLine, UNNAMED, type Party } from './parties.ts'
import { SMALL_BODY } from './routes.ts'

/** Milliseconds of one turn of the event loop in which reviews may be read. */
const SLICE = 10

/** A review to be read. */
interface Size {
  readonly bytes: number
  /** Asked only of a large one. */
  readonly party?: () => Party
}

interface Large {
  readonly run: () => void
  readonly signal: AbortSignal
}

/**
 * Runs the reading of reviews, in order: at once while it has used less than 10 ms of this turn of the event loop,
 * otherwise in a later turn. Large ones go one at a time, each followed by a pause as long as it took, and those who
 * send them take turns: what one of them sends delays the others by one review.
 */
export class ReviewTurns {
  readonly #waiting: (() => void)[] = []
  /** When the slice of this turn ends; undefined: nothing has come in this turn. */
  #end: number | undefined
  readonly #large = new PartyLine<Large>()
  /** Whether a large one is read, or the pause after it lasts. */
  #isBusy = false

  /** @throws errors of the task; the signal's reason if its time was over before it began */
  run<T>(task: () => T, { bytes, party }: Size, signal: AbortSignal): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    const run = () => {
      try {
        signal.throwIfAborted()
        resolve(task())
      } catch (error) {
        reject(error)
      }
    }
    if (bytes <= SMALL_BODY) this.#enqueue(run)
    else {
      this.#large.add(party?.() ?? UNNAMED, { run, signal })
      if (!this.#isBusy) void this.#runLarge()
    }
    return promise
  }

  async #runLarge(): Promise<void> {
    this.#isBusy = true
    for (let next = this.#large.next(); next; next = this.#large.next()) {
      const { run, signal } = next
      if (signal.aborted) run()
      else await delay(await this.#timed(run), undefined, { ref: false })
    }
    this.#isBusy = false
  }

  /** Resolves, when it has run, with the milliseconds that it took. */
  #timed(run: () => void): Promise<number> {
    return new Promise((resolve) => {
      this.#enqueue(() => {
        const begun = performance.now()
        run()
        resolve(performance.now() - begun)
      })
    })
  }

  #enqueue(run: () => void): void {
    if (this.#end === undefined) {
      this.#end = performance.now() + SLICE
      setImmediate(() => this.#drain())
    }
    if (this.#waiting.length === 0 && performance.now() < this.#end) run()
    else this.#waiting.push(run)
  }

  #drain(): void {
    const end = performance.now() + SLICE
    let done = 0
    while (done < this.#waiting.length && performance.now() < end) this.#waiting[done++]?.()
    this.#waiting.splice(0, done)
    this.#end = this.#waiting.length > 0 ? end : undefined
    if (this.#waiting.length > 0) setImmediate(() => this.#drain())
  }
}
