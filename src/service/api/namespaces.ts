import { setImmediate } from 'node:timers/promises'
import { isListed } from '../../domain/records/listed.ts'
import { NamespaceSummary, type NamespaceRecord } from '../../domain/records/namespace-record.ts'
import { parseLabelSelector } from '../../domain/policy/label-selector.ts'
import { counted } from '../../domain/text.ts'
import type { Kind, Workload } from '../../domain/workload/workload.ts'
import { answer } from './answers.ts'
import type { Authorization } from '../auth/authorization.ts'
import { continueToken } from './continue-tokens.ts'
import { whenGone, type ApiContext, type ApiMiddleware } from './context.ts'
import { compare, listedIn } from './listing.ts'
import { demandCurrent } from './lookup.ts'
import { PAGE_SIZE } from './openapi/parameters.ts'
import type { ApiDeps } from './ports.ts'
import type { Lists } from './reads.ts'
import { listableKinds, type Visible } from './visibility.ts'

/** How many visible workloads a page sums up before it ends early; each takes longer than in a list of workloads. */
const MAX_SUMMED = 5000
/** Workloads summed up before other requests get the event loop, and namespaces whose rights are checked at once. */
const SUMMED_AT_ONCE = 200
const CONCURRENCY = 4

type ByKind = Map<Kind, Workload[]>

export interface NamespaceReads {
  readonly listNamespaces: ApiMiddleware
  readonly showNamespace: ApiMiddleware
}

/** Namespaces summed up from their workloads: only those that the caller may list. */
export function createNamespaceReads(
  deps: ApiDeps,
  authorization: Authorization,
  { visibleTo }: Pick<Lists, 'visibleTo'>,
): NamespaceReads {
  const { workloads, rules, clock, settings } = deps
  const excluded = new Set(settings.excludeNamespaces)

  /** Whether the request's filter lets it be counted. */
  function chosenBy({ state: { input } }: ApiContext): (workload: Workload) => boolean {
    const hasLabels = parseLabelSelector(input.query.labelSelector ?? '')
    return ({ labels }) => hasLabels(labels)
  }

  async function summed(name: string, all: readonly Workload[]): Promise<NamespaceRecord> {
    const summary = new NamespaceSummary(name, clock(), rules, settings.accounting)
    for (const [index, workload] of all.entries()) {
      if (index % SUMMED_AT_ONCE === 0) await setImmediate()
      summary.add(workload)
    }
    return summary.record()
  }

  /** The namespaces behind the page before with what is listed in them, in order. */
  function namespacesAfter(ctx: ApiContext): [string, ByKind][] {
    const { after, input } = ctx.state
    const isChosen = chosenBy(ctx)
    const found = new Map<string, ByKind>()
    for (const workload of workloads.list(undefined, input.query.kind)) {
      const { namespace, kind } = workload
      if (namespace <= after || excluded.has(namespace) || !isListed(workload, rules)) continue
      if (!isChosen(workload)) continue
      const kinds: ByKind = found.get(namespace) ?? new Map()
      const ofKind = kinds.get(kind) ?? []
      ofKind.push(workload)
      found.set(namespace, kinds.set(kind, ofKind))
    }
    return [...found].sort(([a], [b]) => compare(a, b))
  }

  return {
    async listNamespaces(ctx) {
      const { kind, limit = PAGE_SIZE } = ctx.state.input.query
      demandCurrent(workloads, kind)
      const gone = whenGone(ctx)
      const visible = visibleTo(ctx.state.caller)
      const records: NamespaceRecord[] = []
      let sum = 0
      let end: string | null = null
      const namespaces = namespacesAfter(ctx)
      for (let start = 0; start < namespaces.length && end === null && !gone.aborted; start += CONCURRENCY) {
        const batch = namespaces.slice(start, start + CONCURRENCY)
        const seen = await Promise.all(batch.map(([name, kinds]) => seenOf(name, kinds, visible)))
        for (const [index, [name]] of batch.entries()) {
          const all = seen[index] ?? []
          if (all.length === 0 || end !== null) continue
          // one namespace too many shows that another page follows
          if (records.length === limit || sum >= MAX_SUMMED) end = records.at(-1)?.name ?? name
          else records.push(await summed(name, all))
          sum += all.length
        }
      }
      const token = end === null ? null : continueToken(end, ctx)
      const more = token === null ? '' : ': send continue for more'
      const message = `${counted(records.length, 'namespace')}${more}`
      answer(ctx, clock(), message, records, { continue: token })
    },

    async showNamespace(ctx) {
      const { caller, input } = ctx.state
      const { namespace } = input.path
      const { kind: only } = input.query
      const kinds = await listableKinds(authorization, caller, {
        namespace,
        kind: only,
        configured: settings.kinds,
      })
      authorization.refuseExcluded(namespace)
      demandCurrent(workloads, only)
      const record = await summed(namespace, listedIn(deps, namespace, kinds).filter(chosenBy(ctx)))
      answer(ctx, clock(), counted(record.workloads, 'workload'), record)
    },
  }
}

/** The sum over the namespace's workloads that the caller may list. */
async function seenOf(namespace: string, kinds: ByKind, visible: Visible): Promise<Workload[]> {
  const all = [...kinds]
  const seen = await Promise.all(all.map(([kind]) => visible(namespace, kind)))
  return all.filter((_, index) => seen[index]).flatMap(([, workloads]) => workloads)
}
