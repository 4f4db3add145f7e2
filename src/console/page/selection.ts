import type { Shown } from './address.ts'
import { FILTERS, isLeftAlone, type Filter, type Workload } from './record.ts'
import { missingPods } from '../../words/pods.ts'
import { STATES, stateOf, type State } from '../../words/state.ts'

/** The line above the workloads of a namespace. */
export interface Group {
  readonly cluster: string | undefined
  readonly namespace: string
  asleep: number
  awake: number
  /** Their pods came too late: they are not among the awake. */
  late: number
  leftAlone: number
}

/** The visible workloads, and the filters' choices. */
export interface Selection {
  /** The rows; the namespaces' lines are among them where they are ordered by namespace. */
  readonly rows: readonly (Workload | Group)[]
  /** How many of them are workloads. */
  readonly found: number
  readonly namespaces: readonly string[]
  readonly types: readonly string[]
  /** Counted under the other filters. */
  readonly counts: Readonly<Record<Filter, number>>
}

type Order = (a: Workload, b: Workload) => number

const byPlace: Order = (a, b) =>
  compare(a.cluster ?? '', b.cluster ?? '') || compare(a.namespace, b.namespace) || compare(a.name, b.name) || compare(a.type, b.type) // prettier-ignore
const RANKS = Object.keys(STATES)

/** The columns by which rows can be ordered. */
export const ORDERS: Readonly<Record<string, Order>> = {
  state: (a, b) => RANKS.indexOf(stateOf(a)) - RANKS.indexOf(stateOf(b)),
  workload: (a, b) => compare(a.name, b.name),
  next: (a, b) => compare(a.next_transition?.at ?? '~', b.next_transition?.at ?? '~'),
}

export function isGroup(row: Workload | Group): row is Group {
  return !('name' in row)
}

/** The workloads that pass the filters, in the order that is asked for. */
export function select(records: ReadonlyMap<string, Workload>, shown: Shown): Selection {
  const { text, cluster, namespace, type, state } = shown
  const namespaces = new Set<string>()
  const types = new Set<string>()
  const counts = Object.fromEntries(Object.keys(FILTERS).map((each) => [each, 0])) as Record<Filter, number>
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
  const found: Workload[] = []
  for (const workload of records.values()) {
    namespaces.add(workload.namespace)
    types.add(workload.type)
    if (cluster !== '' && workload.cluster !== cluster) continue
    if (namespace !== '' && workload.namespace !== namespace) continue
    if (type !== '' && workload.type !== type) continue
    if (words.length > 0 && !matches(workload, words)) continue
    const own = stateOf(workload)
    counts[own] += 1
    counts.all += 1
    if (!isLeftAlone(own)) counts.managed += 1
    if (passes(own, state)) found.push(workload)
  }
  return {
    rows: ordered(found, shown.sort),
    found: found.length,
    namespaces: [...namespaces].sort(),
    types: [...types].sort(),
    counts,
  }
}

function passes(own: State, filter: Filter): boolean {
  return filter === 'all' || (filter === 'managed' ? !isLeftAlone(own) : own === filter)
}

function ordered(found: Workload[], sort: string): (Workload | Group)[] {
  const column = sort.replace(/^-/, '')
  // A link may come from anybody.
  const order = Object.hasOwn(ORDERS, column) ? ORDERS[column] : undefined
  if (!order) return grouped(found.sort(byPlace))
  const sign = sort.startsWith('-') ? -1 : 1
  return found.sort((a, b) => sign * order(a, b) || byPlace(a, b))
}

function grouped(found: readonly Workload[]): (Workload | Group)[] {
  const rows: (Workload | Group)[] = []
  let group: Group | undefined
  for (const workload of found) {
    const { cluster, namespace } = workload
    if (!group || group.namespace !== namespace || group.cluster !== cluster)
      rows.push((group = { cluster, namespace, asleep: 0, awake: 0, late: 0, leftAlone: 0 }))
    group[countOf(workload)] += 1
    rows.push(workload)
  }
  return rows
}

function countOf(workload: Workload): 'asleep' | 'awake' | 'late' | 'leftAlone' {
  const state = stateOf(workload)
  if (isLeftAlone(state)) return 'leftAlone'
  if (state === 'late') return 'late'
  return workload.is_snoozed ? 'asleep' : 'awake'
}

function matches(workload: Workload, words: readonly string[]): boolean {
  const { cluster = '', namespace, name, type, reason } = workload
  const text =
    `${cluster} ${namespace}/${name} ${type} ${reason} ${missingPods(workload) ?? ''}`.toLowerCase()
  return words.every((word) => text.includes(word))
}

function compare(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
