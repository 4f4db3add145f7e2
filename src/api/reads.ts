import { plannedTransitions } from '../domain/plan.ts'
import { readWorkload } from '../domain/reading.ts'
import { listedRecord, statusRecord, transitionRecord } from '../domain/record.ts'
import { counted } from '../domain/text.ts'
import { KINDS, ownedBy, TYPE_OF, type Kind, type Workload, type WorkloadKey } from '../domain/workload.ts'
import { workloadState } from '../domain/workload-state.ts'
import { Refusal } from '../errors.ts'
import { answer } from './answers.ts'
import type { Authorization } from './auth/authorization.ts'
import { createContinueTokens } from './continue-token.ts'
import type { ApiContext, Step } from './context.ts'
import { INDEX } from './examples.ts'
import { whenGone } from './gone.ts'
import { parseLabelSelector } from '../domain/label-selector.ts'
import { page } from './listing.ts'
import { OPENAPI_PATH } from './openapi.ts'
import type { ApiDeps, Workloads } from './ports.ts'
import { createVisibility, type Visible } from './visibility.ts'

const HOUR = 3_600_000
const PLAN_HOURS = 48
const PAGE = 100

export interface Reads {
  readonly showIndex: Step
  readonly showWorkload: Step
  readonly showPlan: Step
  /** Finds out where a list goes on. */
  readonly resume: Step
  readonly listNamespace: Step
  readonly listWorkloads: Step
}

export function createReads(deps: ApiDeps, authorization: Authorization): Reads {
  const { workloads, rules, clock, settings } = deps
  const excluded = new Set(settings.excludeNamespaces)
  const visibleTo = createVisibility(authorization)
  const tokens = createContinueTokens(deps.secret)

  async function list(ctx: ApiContext, all: Iterable<Workload>, visible: Visible): Promise<void> {
    const { state, labelSelector = '', limit = PAGE } = ctx.state.input.query
    const now = clock()
    const hasLabels = parseLabelSelector(labelSelector)
    const { workloads: found, end } = await page(filtered(all, isListed), {
      limit,
      after: ctx.state.after,
      visible,
      chosen: (workload) =>
        hasLabels(workload.labels) &&
        (state === undefined || workloadState(readWorkload(workload, rules), now) === state),
      signal: whenGone(ctx),
    })
    const token = end === null ? null : await tokens.seal(end, ctx)
    const records = found.map((workload) => listedRecord(workload, now, rules))
    const more = token === null ? '' : ': send continue for more'
    answer(ctx, now, `${counted(records.length, 'workload')}${more}`, records, { continue: token })
  }

  return {
    async showIndex(ctx) {
      answer(ctx, clock(), `see ${OPENAPI_PATH} for all that there is`, INDEX)
    },

    async showWorkload(ctx) {
      const workload = await newestCopy(deps, ctx.state.input.path)
      const now = clock()
      const record = statusRecord(workload, now, rules)
      answer(ctx, now, `${record.reason}${ownerNote(workload)}`, record)
    },

    async showPlan(ctx) {
      const { path, query } = ctx.state.input
      const workload = await newestCopy(deps, path)
      const now = clock()
      const hours = query.hours ?? PLAN_HOURS
      const transitions = plannedTransitions(workload, now, rules, now + hours * HOUR)
      const message = `${counted(transitions.length, 'transition')} in the next ${counted(hours, 'hour')}`
      answer(ctx, now, message, transitions.map(transitionRecord))
    },

    async resume(ctx, next) {
      ctx.state.after = await tokens.open(ctx)
      await next()
    },

    async listNamespace(ctx) {
      const { namespace, kind } = ctx.state.input.path
      demandCurrent(workloads, kind)
      await list(ctx, workloads.list(namespace, kind), async () => true)
    },

    async listWorkloads(ctx) {
      const { namespace, kind } = ctx.state.input.query
      demandCurrent(workloads, kind)
      const touched = filtered(workloads.list(namespace, kind), ({ namespace }) => !excluded.has(namespace))
      await list(ctx, touched, visibleTo(ctx.state.caller))
    },
  }
}

/** What an owner scales is the owner's: lists leave it out, whatever its kind. */
function isListed({ owner }: Workload): boolean {
  return owner === undefined
}

function ownerNote({ owner }: Workload): string {
  return owner ? `. Note: it belongs to ${ownedBy(owner)}, which may scale it back` : ''
}

/**
 * The informer's copy; where it has none, that of one live read.
 * @throws Refusal NOT_FOUND, CLUSTER_UNAVAILABLE
 */
async function newestCopy({ workloads, writer }: ApiDeps, path: WorkloadKey): Promise<Workload> {
  demandCurrent(workloads, path.kind)
  return workloads.get(path) ?? (await liveCopy({ writer }, path))
}

/** @throws Refusal NOT_FOUND, CLUSTER_UNAVAILABLE */
export async function liveCopy({ writer }: Pick<ApiDeps, 'writer'>, path: WorkloadKey): Promise<Workload> {
  const { kind, namespace, name } = path
  const workload = await writer.read({ kind, namespace, name })
  if (workload) return workload
  throw new Refusal(
    'NOT_FOUND',
    `there is no ${TYPE_OF[kind]} ${name} in the namespace ${namespace}: check both names`,
  )
}

/**
 * Copies are shown only while they are current; of all four kinds if none is named.
 * @throws Refusal CLUSTER_UNAVAILABLE
 */
export function demandCurrent(workloads: Workloads, kind?: Kind): void {
  const missing = (kind === undefined ? KINDS : [kind]).filter((each) => !workloads.isConnected(each))
  if (missing.length === 0) return
  const others =
    kind === undefined && missing.length < KINDS.length ? ', or ask for one of the other kinds by ?kind=' : ''
  throw new Refusal(
    'CLUSTER_UNAVAILABLE',
    `${missing.join(', ')} are not all known now: try again${others}`,
    {
      retryAfter: 1,
      details: { kinds: missing },
    },
  )
}

function* filtered<T>(all: Iterable<T>, keep: (each: T) => boolean): Iterable<T> {
  for (const each of all) if (keep(each)) yield each
}
