import { setTimeout as pause } from 'node:timers/promises'
import type { Found, Seen } from '../ports.ts'
import { differing, nameIn } from './compared.ts'
import { isPassing } from './failures.ts'

/** Milliseconds between two looks. */
const LOOK_AGAIN = 2000

/**
 * What is there, then what is other at each further look: of one workload, since who may read it may not be allowed to list,
 * and of a Dormouse that knows no streams.
 * @throws Refusal where the first look fails, or no further one can succeed
 */
export async function* lookedAt(
  present: () => Promise<readonly Found[]>,
  warn: (text: string) => void,
  signal: AbortSignal,
): AsyncGenerator<Seen> {
  let before: ReadonlyMap<string, Found> | undefined
  /** The message that reports an outage, once. */
  let told: string | undefined
  while (!signal.aborted) {
    const now = await looked()
    if (now) yield* differing(before ?? new Map(), now)
    before = now ?? before
    await pause(LOOK_AGAIN, undefined, { signal }).catch(() => {})
  }

  /** undefined: this look failed, and the next one may not. */
  async function looked(): Promise<ReadonlyMap<string, Found> | undefined> {
    try {
      const found = await present()
      told = undefined
      return new Map(found.map((each) => [nameIn(each), each]))
    } catch (error) {
      if (signal.aborted) return undefined
      if (!before || !isPassing(error)) throw error
      if (error.message !== told) warn(`it is looked at again each 2 s: ${error.message}`)
      told = error.message
      return undefined
    }
  }
}
