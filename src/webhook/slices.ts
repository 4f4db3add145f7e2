/** Milliseconds of one turn of the event loop that tasks may take. */
const SLICE = 10

/**
 * Runs short tasks in order: at once while the turn of the event loop has had less than 10 ms of them, otherwise in a
 * later turn.
 */
export class Slices {
  readonly #tasks: (() => void)[] = []
  /** When the slice of this turn ends; undefined: no task has come in this turn. */
  #end: number | undefined

  async run<T>(task: () => T): Promise<T> {
    if (this.#hasTime()) return task()
    return await new Promise((resolve, reject) => {
      this.#tasks.push(() => {
        try {
          resolve(task())
        } catch (error) {
          reject(error)
        }
      })
    })
  }

  #hasTime(): boolean {
    if (this.#end === undefined) {
      this.#end = performance.now() + SLICE
      setImmediate(() => this.#drain())
    }
    return this.#tasks.length === 0 && performance.now() < this.#end
  }

  #drain(): void {
    const end = performance.now() + SLICE
    let done = 0
    while (done < this.#tasks.length && performance.now() < end) this.#tasks[done++]?.()
    this.#tasks.splice(0, done)
    this.#end = this.#tasks.length > 0 ? end : undefined
    if (this.#tasks.length > 0) setImmediate(() => this.#drain())
  }
}
