import { once } from 'node:events'
import type { Runnable } from './runnable.ts'

/** Called for each part that fails by itself; a start that a stop interrupts is no failure. */
type OnFailure = (part: Runnable, call: 'start' | 'stop', error: unknown) => void

/**
 * Parts of which each may need those before it: started in order, stopped in reverse. Runs once; for another run
 * make another one.
 */
export class Lifecycle {
  readonly #parts: readonly Runnable[]
  /** In the order of their starts. */
  readonly #begun: Begun[] = []
  readonly #onFailure: OnFailure
  #stopped: Promise<void> | undefined

  constructor(parts: readonly Runnable[], onFailure: OnFailure = () => {}) {
    this.#parts = parts
    this.#onFailure = onFailure
  }

  /**
   * Resolves once every part is ready.
   * @throws the error of a part's start, once it and the parts before it have stopped; Error when `stop` was called
   * meanwhile
   */
  async start(): Promise<void> {
    for (const part of this.#parts) {
      this.#throwIfStopped()
      const begun: Begun = { part, starting: part.start(), ready: false }
      this.#begun.push(begun)
      try {
        await begun.starting
        begun.ready = true
      } catch (error) {
        this.#throwIfStopped()
        this.#onFailure(part, 'start', error)
        await this.stop().catch(() => {})
        throw error
      }
    }
    this.#throwIfStopped()
  }

  /**
   * Resolves once every part has stopped, the one that was still starting included; no further one is started. A
   * part that fails to stop does not keep the others running. Later calls wait for the first one.
   * @throws the first failure to stop a part
   */
  stop(): Promise<void> {
    this.#stopped ??= this.#stopAll()
    return this.#stopped
  }

  async #stopAll(): Promise<void> {
    const failures: unknown[] = []
    for (const { part, starting, ready } of this.#begun.toReversed()) {
      try {
        await part.stop()
        // A start that succeeds after the stop may have opened resources that the stop missed.
        if (!ready && (await succeeds(starting))) await part.stop()
      } catch (error) {
        failures.push(error)
        this.#onFailure(part, 'stop', error)
      }
    }
    if (failures.length > 0) throw failures[0]
  }

  #throwIfStopped(): void {
    if (this.#stopped) throw new Error('stopped before everything had started')
  }
}

/** A part whose start was called; `ready` once that has resolved. */
interface Begun {
  readonly part: Runnable
  readonly starting: Promise<void>
  ready: boolean
}

function succeeds(starting: Promise<void>): Promise<boolean> {
  return starting.then(
    () => true,
    () => false,
  )
}

/**
 * Starts the parts, calls `ready` when all are, and stops them once `signal` is aborted, even while a part is still
 * starting: it may be waiting for a cluster that does not answer.
 * @throws the error of a part's start or stop, once everything has stopped
 */
export async function runUntilStopped(
  parts: readonly Runnable[],
  signal: AbortSignal,
  ready: () => void,
): Promise<void> {
  if (signal.aborted) return
  const aborted = once(signal, 'abort')
  const lifecycle = new Lifecycle(parts)
  const starting = lifecycle.start()
  // After a stop the start rejects: nobody needs to know.
  starting.catch(() => {})
  await Promise.race([starting, aborted])
  try {
    if (!signal.aborted) ready()
    await aborted
  } finally {
    await lifecycle.stop()
  }
}
