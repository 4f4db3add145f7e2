import { isDeepStrictEqual } from 'node:util'
import type { Found } from '../ports.ts'

/** By which lists are sorted. */
export function nameIn({ kind, record: { namespace, name } }: Found): string {
  return `${namespace}/${name}/${kind}`
}

export function byName(a: Found, b: Found): number {
  return nameIn(a).localeCompare(nameIn(b), 'en')
}

/** Apart from the duration of what is running, which grows by itself. */
export function isSameRecord(one: Found, other: Found | undefined): boolean {
  return other !== undefined && isDeepStrictEqual(steady(one), steady(other))
}

function steady({ record: { operation_history: history, ...record } }: Found): unknown {
  return { ...record, history: history.map(({ timestamp, result }) => [timestamp, result]) }
}
