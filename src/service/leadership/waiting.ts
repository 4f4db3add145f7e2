import type { Later } from '../../process/clock.ts'
import { unlessAborted } from '../../process/unless-aborted.ts'

/** Sleeps that another part of the program can end early. For one sleeper. */
export class Sleeper {
  readonly #later: Later
  #end: (() => void) | undefined
  #woken = false

  constructor(later: Later) {
    this.#later = later
  }

  /** Milliseconds, or until it is woken; a wake since the last sleep ends this one at once. */
  async sleep(milliseconds: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const disarm = this.#later(resolve, this.#woken ? 0 : Math.max(0, milliseconds))
    this.#woken = false
    this.#end = resolve
    await promise
    this.#end = undefined
    disarm()
  }

  wake(): void {
    if (this.#end) this.#end()
    else this.#woken = true
  }
}

/**
 * Runs a task with a time limit in milliseconds, and ends in time even if the task ignores its signal.
 * @throws Error at the end of the time or when `outer` is aborted; errors of the task
 */
export async function within<T>(
  later: Later,
  milliseconds: number,
  outer: AbortSignal,
  task: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const inner = new AbortController()
  const end = (why: string) => inner.abort(new Error(why))
  const cancel = () => end('it was cancelled')
  const disarm = later(() => end('there was no answer in time'), milliseconds)
  outer.addEventListener('abort', cancel, { once: true })
  try {
    outer.throwIfAborted()
    return await unlessAborted(inner.signal, task(inner.signal))
  } finally {
    disarm()
    outer.removeEventListener('abort', cancel)
  }
}
