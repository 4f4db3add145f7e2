import type { Shown } from './address.ts'
import { STATES, stateOf, type State, type Workload } from './record.ts'

/** The visible workloads, and the filters' choices. */
export interface Selection {
  readonly workloads: readonly Workload[]
  readonly namespaces: readonly string[]
  readonly types: readonly string[]
  /** Counted under the other filters. */
  readonly counts: Readonly<Record<State, number>>
  readonly total: number
}

/** The workloads that pass the filters, ordered by namespace and name. */
export function select(
  records: ReadonlyMap<string, Workload>,
  { text, namespace, type, state }: Shown,
): Selection {
  const namespaces = new Set<string>()
  const types = new Set<string>()
  const counts = Object.fromEntries(Object.keys(STATES).map((each) => [each, 0])) as Record<State, number>
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
  const found: Workload[] = []
  let total = 0
  for (const workload of records.values()) {
    namespaces.add(workload.namespace)
    types.add(workload.type)
    if (namespace !== '' && workload.namespace !== namespace) continue
    if (type !== '' && workload.type !== type) continue
    if (words.length > 0 && !matches(workload, words)) continue
    const own = stateOf(workload)
    counts[own] += 1
    total += 1
    if (state === '' || own === state) found.push(workload)
  }
  found.sort(
    (a, b) => compare(a.namespace, b.namespace) || compare(a.name, b.name) || compare(a.type, b.type),
  )
  return { workloads: found, namespaces: [...namespaces].sort(), types: [...types].sort(), counts, total }
}

function matches({ namespace, name, type, reason }: Workload, words: readonly string[]): boolean {
  const text = `${namespace}/${name} ${type} ${reason}`.toLowerCase()
  return words.every((word) => text.includes(word))
}

function compare(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
