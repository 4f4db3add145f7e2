import { valueAt } from '../json-pointer.ts'
import { MARK, valueOf, type Companion } from './companion.ts'

/** The content of our mark: the value that we set, and the one that stood there before; null: none. */
export interface Kept {
  readonly set: unknown
  readonly former: unknown
}

/**
 * undefined: it does not carry our mark. With it, we paused it, or it is a copy of one that we paused. The mark is the former
 * value as JSON, or empty; where the value beside a sleeper depends on its count, the value that was set, and that one.
 */
export function keptBy(companion: Pick<Companion, 'row' | 'object'>): Kept | undefined {
  const { row, object } = companion
  const mark = valueAt(object, MARK)
  if (typeof mark !== 'string') return undefined
  const set = row.pause?.at(0)
  const value = parsed(mark)
  if (Array.isArray(value) && value.length === 2) return { set: value[0], former: value[1] }
  // That for a text may be the text itself, as KEDA's pause was kept once.
  const isText = row.place.startsWith('/metadata/')
  if (isText) return { set, former: typeof value === 'string' ? value : mark || null }
  return { set, former: value ?? null }
}

/** The mark beside a value that is set. */
export function markOf({ row }: Pick<Companion, 'row'>, { set, former }: Kept): string {
  if (set !== row.pause?.at(0)) return JSON.stringify([set, former])
  return former === null ? '' : JSON.stringify(former)
}

/** Whether it rests by a value that we set. */
export function isPausedByUs(companion: Pick<Companion, 'row' | 'object'>): boolean {
  const kept = keptBy(companion)
  return kept !== undefined && valueOf(companion) === kept.set
}

function parsed(mark: string): unknown {
  try {
    return JSON.parse(mark)
  } catch {
    // Anybody may write it.
    return undefined
  }
}
