import { isDeepStrictEqual } from 'node:util'
import type { Found, Seen } from '../ports.ts'

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

/** The new and changed workloads of a list, then the removed ones; both lists by name. */
export function* differing(
  before: ReadonlyMap<string, Found>,
  now: ReadonlyMap<string, Found>,
): Generator<Seen> {
  for (const [name, found] of now) if (!isSameRecord(found, before.get(name))) yield { ...found, gone: false }
  for (const [name, found] of before) if (!now.has(name)) yield { ...found, gone: true }
}

function steady({ record: { operation_history: history, ...record } }: Found): unknown {
  return { ...record, history: history.map(({ timestamp, result }) => [timestamp, result]) }
}
