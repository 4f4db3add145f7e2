import { setImmediate } from 'node:timers/promises'
import pLimit from 'p-limit'
import { countsOf, isKeptAtZero, leavesOut, LEFT_OUT, summaryOf } from '../../../domain/records/bulk.ts'
import { listedRecord, statusRecord } from '../../../domain/records/record.ts'
import { requestFrom } from '../../../domain/requests/call.ts'
import type { Action } from '../../../domain/requests/operations.ts'
import { planRequest } from '../../../domain/requests/request.ts'
import { counted } from '../../../domain/text.ts'
import { keyOf, type Workload } from '../../../domain/workload/workload.ts'
import { Refusal } from '../../../process/errors.ts'
import { internal } from '../../../http/errors.ts'
import { answer } from '../answers.ts'
import { auditWorkload } from '../audit.ts'
import type { Authorization } from '../../auth/authorization.ts'
import { signature, subjectKey } from '../../auth/caller.ts'
import type { ApiContext, ApiMiddleware } from '../context.ts'
import type { OperationId } from '../openapi/document.ts'
import { milliseconds } from '../../../domain/schedule/duration.ts'
import type { PodWaits } from '../pod-waits.ts'
import type { ApiDeps } from '../ports.ts'
import { Following } from './following.ts'
import { refused, type BulkItem } from './item.ts'
import { createSelection, type Selected } from './selection.ts'

/** Workloads of one request that are written or read at once; their writes also wait for their turn at the write gate. */
const IN_WORK = 8
/** After so many workloads in a row without an answer of the cluster, the others are not tried. */
const UNANSWERED = IN_WORK

/**
 * Makes the middleware that executes an operation on each workload of a namespace that its caller may list. Once begun
 * it continues even if the client disconnects: otherwise the point where it stopped would depend on chance. Only a
 * cluster that does not answer, or the end of the service, skips the others, and the answer says so.
 */
export function createBulks(
  deps: ApiDeps,
  authorization: Authorization,
  podWaits: PodWaits,
): (id: OperationId, action: Action) => ApiMiddleware {
  const { writer, rules, clock, logger } = deps
  const select = createSelection(deps, authorization)
  const busy = new Set<string>()

  async function carryOut(ctx: ApiContext, id: OperationId, action: Action): Promise<void> {
    const { caller, input, requestId } = ctx.state
    const { dryRun = false, wait } = input.query
    const request = requestFrom(action, input)
    const priority = action === 'wake' ? 'wake' : 'request'
    const by = signature(caller)
    const planOf = (workload: Workload) => planRequest(workload, request, by, clock(), rules)
    const selected = await select(ctx)
    const following =
      wait !== undefined && !dryRun && podWaits.enter(ctx)
        ? new Following(deps, podWaits, ctx, milliseconds(wait))
        : undefined
    let unanswered = 0

    async function rehearse(workload: Workload): Promise<BulkItem> {
      // other requests get the event loop in between
      await setImmediate()
      const plan = planOf(workload)
      return itemOf(plan.after, plan.rehearsed, plan.change !== undefined)
    }

    async function write(workload: Workload): Promise<BulkItem> {
      if (podWaits.closed.aborted) throw NOT_TRIED.stopping
      if (unanswered >= UNANSWERED) throw NOT_TRIED.unanswered
      const done = await writer.write(workload, planOf, { priority, verify: true })
      if (done.wrote) {
        ctx.state.changed = true
        auditWorkload(logger, ctx, id, workload, 'OK', true)
      }
      const item = itemOf(done.workload, done.plan.message, done.wrote)
      following?.add(item, done.workload)
      return item
    }

    async function one({ workload, refusal }: Selected): Promise<BulkItem> {
      if (refusal) return refused(workload, refusal)
      if (leavesOut(action) && isKeptAtZero(listedRecord(workload, clock(), rules)))
        return { kind: workload.kind, name: workload.name, ...LEFT_OUT }
      try {
        const item = await (dryRun ? rehearse : write)(workload)
        unanswered = 0
        return item
      } catch (error) {
        const fault = error instanceof Refusal ? error : bug(error, workload)
        const isUnanswered = fault.code === 'CLUSTER_UNAVAILABLE'
        unanswered = isUnanswered ? unanswered + 1 : 0
        if (isUnanswered && !isNotTried(fault)) {
          // the patch may have been applied although no answer came
          ctx.state.changed ||= null
          auditWorkload(logger, ctx, id, workload, fault.code, null)
        }
        return refused(workload, fault)
      }
    }

    function bug(error: unknown, workload: Workload): Refusal {
      logger.error({ err: error, requestId, workload: keyOf(workload) }, 'request failed')
      return internal(requestId)
    }

    function itemOf(workload: Workload, message: string, done: boolean): BulkItem {
      const { operation_in_progress } = statusRecord(workload, clock(), rules)
      const result = done ? 'done' : 'unchanged'
      return { kind: workload.kind, name: workload.name, result, code: null, message, operation_in_progress }
    }

    try {
      const items = await pLimit(IN_WORK).map(selected, one)
      const counts = countsOf(items)
      ctx.state.counts = counts
      const late = await following?.end()
      const prefix = dryRun ? 'dry run, nothing was changed: ' : ''
      const suffix = late ? `; still under way: ${counted(late, 'workload')}` : ''
      answer(ctx, clock(), `${prefix}${summaryOf(items, dryRun)}${suffix}`, { items, counts })
    } finally {
      following?.stop()
    }
  }

  return (id, action) => async (ctx) => {
    const subject = subjectKey(ctx.state.caller)
    if (busy.has(subject)) throw oneAtATime()
    busy.add(subject)
    try {
      await carryOut(ctx, id, action)
    } finally {
      busy.delete(subject)
    }
  }
}

function isNotTried(refusal: Refusal): boolean {
  return Object.values(NOT_TRIED).includes(refusal)
}

const NOT_TRIED = {
  stopping: new Refusal(
    'CLUSTER_UNAVAILABLE',
    'not tried, since this replica of Dormouse stops: send it again',
  ),
  unanswered: new Refusal(
    'CLUSTER_UNAVAILABLE',
    'not tried, since the cluster does not answer: send it again',
  ),
}

function oneAtATime(): Refusal {
  return new Refusal(
    'RATE_LIMITED',
    'another request of yours about a whole namespace is still being carried out: wait for its answer',
    { retryAfter: 1 },
  )
}
