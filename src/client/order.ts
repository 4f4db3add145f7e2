import type { Found } from './ports.ts'

/** The order of lists: by cluster, namespace, name and kind. */
export function byName(a: Found, b: Found): number {
  const text = ({ cluster = '', kind, record: { namespace, name } }: Found) =>
    `${cluster}/${namespace}/${name}/${kind}`
  return text(a).localeCompare(text(b), 'en')
}
