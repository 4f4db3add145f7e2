/** Milliseconds of one turn of the event loop that tasks may take. */
const SLICE = 10

/** Runs short tasks in order, and yields to the event loop after every 10 ms of them. */
export class Slices {
  readonly #tasks: (() => void)[] = []

  run<T>(task: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#tasks.push(() => {
        try {
          resolve(task())
        } catch (error) {
          reject(error)
        }
      })
      if (this.#tasks.length === 1) setImmediate(() => this.#drain())
    })
  }

  #drain(): void {
    const until = performance.now() + SLICE
    let done = 0
    while (done < this.#tasks.length && performance.now() < until) this.#tasks[done++]?.()
    this.#tasks.splice(0, done)
    if (this.#tasks.length > 0) setImmediate(() => this.#drain())
  }
}
