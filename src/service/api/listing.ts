import { setImmediate } from 'node:timers/promises'
import { isListed } from '../../domain/records/listed.ts'
import type { Kind, Workload, WorkloadKey } from '../../domain/workload/workload.ts'
import type { ApiDeps } from './ports.ts'
import type { Visible } from './visibility.ts'

/** How many visible workloads a page examines before it ends early. */
const MAX_EXAMINED = 20_000
/** Groups whose rights are checked at once, and workloads examined before other requests get the event loop. */
const CONCURRENCY = 4
const EXAMINED_AT_ONCE = 500

/** The workloads of one kind in one namespace: a caller sees all of them or none. */
interface Group {
  /** The common prefix of its workloads' positions. */
  readonly prefix: string
  readonly namespace: string
  readonly kind: Kind
  readonly workloads: Workload[]
}

/** All workloads of these kinds in a namespace that lists show. */
export function listedIn(
  { workloads, rules }: Pick<ApiDeps, 'workloads' | 'rules'>,
  namespace: string,
  kinds: readonly Kind[],
): Workload[] {
  const found: Workload[] = []
  for (const kind of kinds)
    for (const workload of workloads.list(namespace, kind))
      if (isListed(workload, rules)) found.push(workload)
  return found
}

export interface PageRequest {
  readonly limit: number
  /** The position at which the previous page ended; '': this is the first. */
  readonly after: string
  /** The filters, applied only to workloads that the caller may see. */
  readonly chosen: (workload: Workload) => boolean
  readonly visible: Visible
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal
}

export interface Page {
  readonly workloads: readonly Workload[]
  /** The position of the page's last workload, which the caller may see; null: this is the last page. */
  readonly end: string | null
}

/**
 * The next workloads in the order of their positions, which never change: a workload created or deleted between two
 * pages makes no other appear twice or go missing. The ends and the number of pages depend only on workloads that the
 * caller may see.
 */
export async function page(all: Iterable<Workload>, request: PageRequest): Promise<Page> {
  const { limit, visible, chosen, signal } = request
  const groups = groupsAfter(all, request.after)
  const found: Workload[] = []
  let examined = 0
  for (let start = 0; start < groups.length && !signal.aborted; start += CONCURRENCY) {
    const batch = groups.slice(start, start + CONCURRENCY)
    const seen = await Promise.all(batch.map(({ namespace, kind }) => visible(namespace, kind)))
    for (const { workloads } of batch.filter((_, index) => seen[index])) {
      for (const workload of workloads.sort((a, b) => compare(a.name, b.name))) {
        // one workload too many shows that another page follows
        if (chosen(workload) && found.push(workload) > limit) {
          const shown = found.slice(0, limit)
          return { workloads: shown, end: positionOf(shown.at(-1) ?? workload) }
        }
        examined += 1
        if (examined >= MAX_EXAMINED) return { workloads: found, end: positionOf(workload) }
        if (examined % EXAMINED_AT_ONCE === 0) await setImmediate()
      }
    }
  }
  return { workloads: found, end: null }
}

/** The workloads behind `after`, by group. Workloads of one group mostly follow one another. */
function groupsAfter(all: Iterable<Workload>, after: string): Group[] {
  const [start, name] = split(after)
  const groups = new Map<string, Group>()
  let group: Group | undefined
  for (const workload of all) {
    if (group?.namespace !== workload.namespace || group.kind !== workload.kind)
      group = groupOf(groups, workload)
    if (group.prefix > start || (group.prefix === start && workload.name > name))
      group.workloads.push(workload)
  }
  return [...groups.values()]
    .filter(({ workloads }) => workloads.length > 0)
    .sort((a, b) => compare(a.prefix, b.prefix))
}

function groupOf(groups: Map<string, Group>, workload: Workload): Group {
  const key = prefix(workload)
  const known = groups.get(key)
  if (known) return known
  const { namespace, kind } = workload
  const group = { prefix: key, namespace, kind, workloads: [] }
  groups.set(key, group)
  return group
}

/** A position as its group's prefix and the name. */
function split(position: string): [prefix: string, name: string] {
  const end = position.lastIndexOf('/') + 1
  return [position.slice(0, end), position.slice(end)]
}

function prefix({ namespace, kind }: WorkloadKey): string {
  return `${namespace}/${kind}/`
}

function positionOf(workload: WorkloadKey): string {
  return prefix(workload) + workload.name
}

/** By code units, whatever the language. */
export function compare(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
