import type { Instant } from '../../clock.ts'
import type { Found, Source } from './settings.ts'

/** The end of a window without a beginning, and where it stands. */
export interface AwakeUntil {
  readonly at: Instant
  readonly source: Source
}

/**
 * The nearest `awake-until` that has not passed; undefined: none. `found`: the nearest first. One that has passed counts
 * as absent, so the next further out counts; an empty one means none, and ends inheritance.
 * @throws what `endOf` throws at a text that it cannot read: that one, too, is not passed by
 */
export function nearestAwakeUntil(
  found: readonly Found[],
  now: Instant,
  endOf: (text: string) => Instant,
): AwakeUntil | undefined {
  for (const { text, source } of found) {
    if (text.trim() === '') return undefined
    const at = endOf(text)
    if (at > now) return { at, source }
  }
  return undefined
}
