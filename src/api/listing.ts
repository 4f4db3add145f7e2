import { setImmediate } from 'node:timers/promises'
import type { Kind, Workload, WorkloadKey } from '../domain/workload.ts'
import type { Visible } from './visibility.ts'

/** A page looks at so many visible workloads before it ends early. */
const MAX_LOOKS = 20_000
/** Groups asked about at once, and workloads looked at before others get their turn. */
const CONCURRENCY = 4
const TURN = 500

/** A namespace's workloads of one kind: they are seen all or none. */
interface Group {
  readonly namespace: string
  readonly kind: Kind
  readonly workloads: Workload[]
}

export interface PageRequest {
  readonly limit: number
  /** The position that the page before ended at; '': there was none. */
  readonly after: string
  /** The filters, applied to those alone that the caller may see. */
  readonly chosen: (workload: Workload) => boolean
  readonly visible: Visible
  /** Aborted when nobody waits for the page any more. */
  readonly signal: AbortSignal
}

export interface Page {
  readonly workloads: readonly Workload[]
  /** Where it ended, at a workload that the caller may see; null: it is the last. */
  readonly end: string | null
}

/**
 * The next workloads in the order of their positions, which never change: what comes or goes between two
 * pages makes no other workload appear twice or be left out. Where a page ends, and how many there are, depends
 * on what the caller may see, and on nothing else.
 */
export async function page(all: Iterable<Workload>, request: PageRequest): Promise<Page> {
  const { limit, visible, chosen, signal } = request
  const groups = groupsAfter(all, request.after)
  const found: Workload[] = []
  let looks = 0
  for (let start = 0; start < groups.length && !signal.aborted; start += CONCURRENCY) {
    const batch = groups.slice(start, start + CONCURRENCY)
    const seen = await Promise.all(batch.map(({ namespace, kind }) => visible(namespace, kind)))
    for (const { workloads } of batch.filter((_, index) => seen[index])) {
      for (const workload of workloads.sort((a, b) => compare(a.name, b.name))) {
        // one more than the page holds tells that another page follows
        if (chosen(workload) && found.push(workload) > limit) {
          const held = found.slice(0, limit)
          return { workloads: held, end: positionOf(held.at(-1) ?? workload) }
        }
        looks += 1
        if (looks >= MAX_LOOKS) return { workloads: found, end: positionOf(workload) }
        if (looks % TURN === 0) await setImmediate()
      }
    }
  }
  return { workloads: found, end: null }
}

function groupsAfter(all: Iterable<Workload>, after: string): Group[] {
  const groups = new Map<string, Group>()
  for (const workload of all) {
    if (positionOf(workload) <= after) continue
    const { namespace, kind } = workload
    const key = prefix(workload)
    const group = groups.get(key)
    if (group) group.workloads.push(workload)
    else groups.set(key, { namespace, kind, workloads: [workload] })
  }
  return [...groups.entries()].sort(([a], [b]) => compare(a, b)).map(([, group]) => group)
}

function prefix({ namespace, kind }: WorkloadKey): string {
  return `${namespace}/${kind}/`
}

function positionOf(workload: WorkloadKey): string {
  return prefix(workload) + workload.name
}

function compare(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
