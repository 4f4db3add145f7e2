/** A value that listeners are told of when it has changed; a listener that throws keeps it from no other. */
export class Broadcast<T> {
  readonly #listeners = new Set<(value: T) => void>()
  readonly #failed: (error: unknown) => void

  constructor(failed: (error: unknown) => void) {
    this.#failed = failed
  }

  listen(listener: (value: T) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  tell(value: T): void {
    for (const listener of this.#listeners) {
      try {
        listener(value)
      } catch (error) {
        this.#failed(error)
      }
    }
  }
}
