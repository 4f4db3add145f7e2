import type { Found } from './ports.ts'

/** The order of lists: by namespace, name and kind. */
export function byName(a: Found, b: Found): number {
  const text = ({ kind, record: { namespace, name } }: Found) => `${namespace}/${name}/${kind}`
  return text(a).localeCompare(text(b), 'en')
}
