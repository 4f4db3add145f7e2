import type { Logger } from '../logger.ts'
import type { Runnable } from '../runnable.ts'

/** The parts that only the leader runs: started in order as this replica begins to lead, stopped in reverse as it ends. */
export class LeaderParts {
  readonly #parts: readonly Runnable[]
  readonly #logger: Logger
  readonly #started: Runnable[] = []
  readonly #over = new AbortController()
  #ending: Promise<void> | undefined
  #failed = false

  constructor(parts: readonly Runnable[], logger: Logger) {
    this.#parts = parts
    this.#logger = logger
  }

  /** Aborted once every part has stopped. */
  get over(): AbortSignal {
    return this.#over.signal
  }

  /** Whether a part could not be started. */
  get failed(): boolean {
    return this.#failed
  }

  /** Never rejects. Ends early, with a part perhaps still starting, when leadership ends. */
  async begin(): Promise<void> {
    for (const part of this.#parts) {
      if (this.#ending) return
      this.#started.push(part)
      try {
        await part.start()
      } catch (error) {
        if (this.#ending) return
        this.#failed = true
        this.#logger.error({ part: part.name, err: error }, 'a part that only the leader runs did not start')
        return
      }
    }
  }

  /** Resolves once every part has stopped. Never rejects. */
  end(): Promise<void> {
    this.#ending ??= this.#stopAll()
    return this.#ending
  }

  async #stopAll(): Promise<void> {
    for (const part of this.#started.toReversed()) {
      try {
        await part.stop()
      } catch (error) {
        this.#logger.error({ part: part.name, err: error }, 'a part that only the leader runs failed to stop')
      }
    }
    this.#over.abort()
  }
}
