import type { Instant } from '../../process/clock.ts'
import { parseLabelSelector } from '../../domain/policy/label-selector.ts'
import { readWorkload } from '../../domain/workload/reading.ts'
import { isListed } from '../../domain/records/listed.ts'
import { listedRecord, statusRecord } from '../../domain/records/record.ts'
import { counted } from '../../domain/text.ts'
import { ownedBy, type Kind, type Workload, type WorkloadKey } from '../../domain/workload/workload.ts'
import { passesFilter } from '../../domain/records/workload-state.ts'
import { answer } from './answers.ts'
import { mayChange } from '../auth/authorization.ts'
import { nameOfCaller } from '../auth/caller.ts'
import { whenGone, type ApiContext, type ApiMiddleware } from './context.ts'
import { continueToken, positionIn } from './continue-tokens.ts'
import { page } from './listing.ts'
import { demandCurrent, newestCopy } from './lookup.ts'
import { OPENAPI_PATH, withKinds } from './openapi/document.ts'
import { INDEX } from './openapi/examples.ts'
import { PAGE_SIZE } from './openapi/parameters.ts'
import { createPlans } from './plans.ts'
import type { ApiDeps } from './ports.ts'
import type { Visibility, Visible } from './visibility.ts'
import type { Watches } from './watch/watches.ts'

export interface Reads {
  readonly showIndex: ApiMiddleware
  readonly showWorkload: ApiMiddleware
  readonly showPlan: ApiMiddleware
  /** Opens the continue token of a request for pages. */
  readonly resume: ApiMiddleware
  readonly listNamespace: ApiMiddleware
  readonly listWorkloads: ApiMiddleware
}

/** Shared by all lists. */
export interface Lists {
  readonly visibleTo: Visibility
  readonly watches: Watches
}

export function createReads(deps: ApiDeps, { visibleTo, watches }: Lists): Reads {
  const { workloads, writer, rules, clock, settings } = deps
  const excluded = new Set(settings.excludeNamespaces)

  const isShown = (workload: Workload) => isListed(workload, rules)

  async function list(ctx: ApiContext, all: Iterable<Workload>, visible: Visible): Promise<void> {
    const { limit = PAGE_SIZE } = ctx.state.input.query
    const now = clock()
    const { workloads: found, end } = await page(filtered(all, isShown), {
      limit,
      after: ctx.state.after,
      visible,
      chosen: chosenBy(ctx, () => now),
      signal: whenGone(ctx),
    })
    const token = end === null ? null : continueToken(end, ctx)
    const records = found.map((workload) => listedRecord(workload, now, rules))
    const more = token === null ? '' : ': send continue for more'
    answer(ctx, now, `${counted(records.length, 'workload')}${more}`, records, { continue: token })
  }

  /** By the filters of a request. */
  function chosenBy(ctx: ApiContext, time: () => Instant): (workload: Workload) => boolean {
    const { state, labelSelector = '' } = ctx.state.input.query
    const hasLabels = parseLabelSelector(labelSelector)
    return (workload) =>
      hasLabels(workload.labels) &&
      (state === undefined || passesFilter(readWorkload(workload, rules), state, time(), rules))
  }

  async function watch(ctx: ApiContext, scope: { namespace: string | undefined; kind: Kind | undefined }) {
    const { namespace, kind } = scope
    const includes = (key: WorkloadKey) =>
      (namespace === undefined || key.namespace === namespace) &&
      (kind === undefined || key.kind === kind) &&
      !excluded.has(key.namespace)
    const isChosen = chosenBy(ctx, clock)
    await watches.stream(ctx, {
      all: () => filtered(workloads.list(namespace, kind), (each) => includes(each) && isShown(each)),
      includes,
      chosen: (workload) => isShown(workload) && isChosen(workload),
      async visible() {
        demandCurrent(workloads, kind)
        return visibleTo(await ctx.state.authenticateAgain())
      },
    })
  }

  return {
    async showIndex(ctx) {
      const { kinds = [], cluster = null } = settings
      const { caller } = ctx.state
      const who = { user: nameOfCaller(caller), may_change: mayChange(caller) }
      const data = { ...withKinds(INDEX, kinds), cluster, ...who }
      answer(ctx, clock(), `see ${OPENAPI_PATH} for all paths`, data)
    },

    async showWorkload(ctx) {
      const workload = await newestCopy(workloads, writer, ctx.state.input.path)
      const now = clock()
      const record = statusRecord(workload, now, rules)
      answer(ctx, now, `${record.reason}${ownerNote(workload)}`, record)
    },

    showPlan: createPlans(deps),

    async resume(ctx, next) {
      ctx.state.after = positionIn(ctx)
      await next()
    },

    async listNamespace(ctx) {
      const { namespace, kind } = ctx.state.input.path
      if (ctx.state.input.query.watch) return watch(ctx, { namespace, kind })
      demandCurrent(workloads, kind)
      await list(ctx, workloads.list(namespace, kind), () => Promise.resolve(true))
    },

    async listWorkloads(ctx) {
      const { namespace, kind } = ctx.state.input.query
      if (ctx.state.input.query.watch) return watch(ctx, { namespace, kind })
      demandCurrent(workloads, kind)
      const touched = filtered(workloads.list(namespace, kind), ({ namespace }) => !excluded.has(namespace))
      await list(ctx, touched, visibleTo(ctx.state.caller))
    },
  }
}

function ownerNote({ owner }: Workload): string {
  return owner ? `. Note: it belongs to ${ownedBy(owner)}, which may scale it back` : ''
}

function* filtered<T>(all: Iterable<T>, keep: (each: T) => boolean): Iterable<T> {
  for (const each of all) if (keep(each)) yield each
}
