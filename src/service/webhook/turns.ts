import { setTimeout as delay } from 'node:timers/promises'
import { SMALL_BODY } from './routes.ts'

/** Milliseconds of one turn of the event loop in which reviews may be read. */
const SLICE = 10
/** Milliseconds from the end of one large review to the next: each may take some 100. */
const PAUSE = 250

/**
 * Runs the reading of reviews, in order: at once while it has used less than 10 ms of this turn of the event loop,
 * otherwise in a later turn. Large ones go one at a time, at most four a second.
 */
export class ReviewTurns {
  readonly #waiting: (() => void)[] = []
  /** When the slice of this turn ends; undefined: nothing has come in this turn. */
  #end: number | undefined
  /** The turn of the latest large review, and the pause after it. */
  #large = Promise.resolve()

  /** @throws errors of the task; the signal's reason if its time was over before it began */
  run<T>(task: () => T, bytes: number, signal: AbortSignal): Promise<T> {
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
    else this.#large = this.#runLarge(run, this.#large, signal)
    return promise
  }

  async #runLarge(run: () => void, before: Promise<void>, signal: AbortSignal): Promise<void> {
    await before
    if (signal.aborted) return run()
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#enqueue(() => {
      run()
      resolve()
    })
    await promise
    await delay(PAUSE, undefined, { ref: false })
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
