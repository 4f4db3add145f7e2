import { SMALL_BODY } from './limits.ts'

/** Milliseconds of one turn of the event loop that small reviews may take. */
const SLICE = 10
/** Milliseconds from the end of one large review to the next: each may take some 100. */
const PAUSE = 250

interface Task {
  readonly bytes: number
  readonly run: () => void
}

/**
 * Runs what parses reviews. Small ones in order: at once while the turn of the event loop has had less than 10 ms of
 * them, otherwise in a later turn. Large ones wait until no small one waits; then the smallest of them goes first, at
 * most four a second.
 */
export class ReviewTurns {
  readonly #small: Task[] = []
  readonly #large: Task[] = []
  /** When the slice of this turn ends; undefined: no small task has come in this turn. */
  #end: number | undefined
  #timer: NodeJS.Timeout | undefined
  #lastLarge = -Infinity

  /** `signal`: a task that still waits then is never run. @throws the signal's reason, and what the task throws */
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
    if (bytes > SMALL_BODY) this.#enqueueLarge({ bytes, run }, signal, reject)
    else if (this.#hasTime()) run()
    else this.#small.push({ bytes, run })
    return promise
  }

  #hasTime(): boolean {
    if (this.#end === undefined) {
      this.#end = performance.now() + SLICE
      setImmediate(() => this.#drain())
    }
    return this.#small.length === 0 && performance.now() < this.#end
  }

  #drain(): void {
    const end = performance.now() + SLICE
    let done = 0
    while (done < this.#small.length && performance.now() < end) this.#small[done++]?.run()
    this.#small.splice(0, done)
    this.#end = this.#small.length > 0 ? end : undefined
    if (this.#small.length > 0) setImmediate(() => this.#drain())
  }

  #enqueueLarge(task: Task, signal: AbortSignal, reject: (reason: unknown) => void): void {
    this.#large.push(task)
    signal.addEventListener('abort', () => {
      const index = this.#large.indexOf(task)
      if (index !== -1) this.#large.splice(index, 1)
      reject(signal.reason)
    })
    this.#schedule()
  }

  #schedule(): void {
    if (this.#timer || this.#large.length === 0) return
    const wait = Math.max(0, this.#lastLarge + PAUSE - performance.now())
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      if (this.#small.length === 0) this.#runSmallest()
      this.#schedule()
    }, wait).unref()
  }

  #runSmallest(): void {
    const [task] = this.#large.toSorted((a, b) => a.bytes - b.bytes)
    if (!task) return
    this.#large.splice(this.#large.indexOf(task), 1)
    task.run()
    this.#lastLarge = performance.now()
  }
}
