import { setTimeout as pause } from 'node:timers/promises'
import type { Found, Seen } from '../ports.ts'
import { isSameRecord, nameIn } from './compared.ts'

/** Milliseconds between two looks. */
const LOOK_AGAIN = 2000

/**
 * What is there, then what is other at each further look: of one workload, since who may read it may not be allowed to list,
 * and of a Dormouse that knows no streams.
 */
export async function* lookedAt(
  present: () => Promise<readonly Found[]>,
  signal: AbortSignal,
): AsyncGenerator<Seen> {
  let before = new Map<string, Found>()
  while (!signal.aborted) {
    const now = new Map((await present()).map((found) => [nameIn(found), found]))
    for (const [name, found] of now)
      if (!isSameRecord(found, before.get(name))) yield { ...found, gone: false }
    for (const [name, found] of before) if (!now.has(name)) yield { ...found, gone: true }
    before = now
    await pause(LOOK_AGAIN, undefined, { signal }).catch(() => {})
  }
}
