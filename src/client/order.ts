import type { Found } from './ports.ts'

/** In the order of lists: by cluster, namespace, name and kind. */
export function inOrder<Each extends Found>(found: Iterable<Each>): Each[] {
  // Thousands are compared, each with a dozen others.
  const named = Array.from(found, (each) => ({ each, name: nameOf(each) }))
  return named.sort((a, b) => a.name.localeCompare(b.name, 'en')).map(({ each }) => each)
}

function nameOf({ cluster = '', kind, record: { namespace, name } }: Found): string {
  return `${cluster}/${namespace}/${name}/${kind}`
}
