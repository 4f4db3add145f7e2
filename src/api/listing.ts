import { setImmediate } from 'node:timers/promises'
import { isKind, type Kind, type Workload, type WorkloadKey } from '../domain/workload.ts'

/** A page asks at most so many questions about rights, and looks at so many workloads, before it ends early. */
const MAX_QUESTIONS = 256
const MAX_LOOKS = 20_000
/** Questions in flight at once, and workloads looked at before others get their turn. */
const CONCURRENCY = 8
const TURN = 500

/** A namespace's workloads of one kind: they are seen all or none. */
interface Group {
  readonly namespace: string
  readonly kind: Kind
  readonly workloads: Workload[]
}

export interface PageRequest {
  readonly limit: number
  /** As the page before gave it. */
  readonly continue: string | undefined
  /** Cheap tests, applied to all workloads. */
  readonly matches: (workload: Workload) => boolean
  /** A dear test, applied to those alone that the caller may see. */
  readonly chosen: (workload: Workload) => boolean
  readonly visible: (namespace: string, kind: Kind) => Promise<boolean>
}

export interface Page {
  readonly workloads: readonly Workload[]
  /** null: this is the last. */
  readonly continue: string | null
}

/**
 * The next workloads in the order of their positions, which never change: what comes or goes between two
 * pages makes no other workload appear twice or be left out.
 */
export async function page(all: Iterable<Workload>, request: PageRequest): Promise<Page> {
  const after = request.continue === undefined ? '' : (positionOf(request.continue) ?? '')
  const groups = groupsAfter(all, after, request.matches)
  const found: Workload[] = []
  let looks = 0
  for (let start = 0; start < groups.length; start += CONCURRENCY) {
    const batch = groups.slice(start, start + CONCURRENCY)
    const visible = await Promise.all(batch.map(({ namespace, kind }) => request.visible(namespace, kind)))
    for (const { workloads } of batch.filter((_, index) => visible[index])) {
      for (const workload of workloads.sort((a, b) => compare(a.name, b.name))) {
        if (request.chosen(workload)) found.push(workload)
        looks += 1
        // one more than the page holds tells whether another page follows
        if (found.length > request.limit)
          return { workloads: found.slice(0, -1), continue: tokenOf(found.at(-2)) }
        if (looks >= MAX_LOOKS) return { workloads: found, continue: tokenOf(workload) }
        if (looks % TURN === 0) await setImmediate()
      }
    }
    const last = batch.at(-1)?.workloads.at(-1)
    const more = start + CONCURRENCY < groups.length
    if (more && start + CONCURRENCY >= MAX_QUESTIONS) return { workloads: found, continue: tokenOf(last) }
  }
  return { workloads: found, continue: null }
}

function groupsAfter(
  all: Iterable<Workload>,
  after: string,
  matches: (workload: Workload) => boolean,
): Group[] {
  const groups = new Map<string, Group>()
  for (const workload of all) {
    if (position(workload) <= after || !matches(workload)) continue
    const { namespace, kind } = workload
    const key = prefix(workload)
    const group = groups.get(key)
    if (group) group.workloads.push(workload)
    else groups.set(key, { namespace, kind, workloads: [workload] })
  }
  return [...groups.entries()].sort(([a], [b]) => compare(a, b)).map(([, group]) => group)
}

/** The position that a `continue` names; undefined: it is none of ours. */
export function positionOf(token: string): string | undefined {
  const text = Buffer.from(token, 'base64url').toString()
  const [namespace, kind, name, ...rest] = text.split('/')
  if (!namespace || !name || rest.length > 0 || !isKind(kind ?? '')) return undefined
  return Buffer.from(text).toString('base64url') === token ? text : undefined
}

function tokenOf(workload: Workload | undefined): string | null {
  return workload ? Buffer.from(position(workload)).toString('base64url') : null
}

function prefix({ namespace, kind }: WorkloadKey): string {
  return `${namespace}/${kind}/`
}

function position(workload: WorkloadKey): string {
  return prefix(workload) + workload.name
}

function compare(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
