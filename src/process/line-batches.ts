import type { DestinationStream } from 'pino'

/** Milliseconds that a line waits for others. */
const WAIT_MS = 20
const LOW = /^\{"level":"(?:trace|debug|info)"/

/**
 * Passes log lines on together: a wave logs a line a workload, and a write to a pipe takes as long as a fifth of a
 * workload's own work. Warnings, errors and the audit go at once, with all before them: the process may be killed. To be
 * flushed at the exit.
 */
export class LineBatches implements DestinationStream {
  readonly #destination: DestinationStream
  #lines = ''
  #timer: NodeJS.Timeout | undefined

  constructor(destination: DestinationStream) {
    this.#destination = destination
  }

  write(line: string): void {
    this.#lines += line
    if (!LOW.test(line) || line.endsWith('"msg":"audit"}\n')) return this.flush()
    this.#timer ??= setTimeout(() => this.flush(), WAIT_MS)
  }

  /** Writes the waiting lines now. */
  flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#lines !== '') this.#destination.write(this.#lines)
    this.#lines = ''
  }
}
