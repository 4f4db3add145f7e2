import { statusRecord } from '../../domain/records/record.ts'
import { requestFrom } from '../../domain/requests/call.ts'
import type { Action, Request } from '../../domain/requests/operations.ts'
import { planRequest, type Plan } from '../../domain/requests/request.ts'
import type { Workload, WorkloadKey } from '../../domain/workload/workload.ts'
import { Refusal } from '../../process/errors.ts'
import { answer } from './answers.ts'
import { signature } from '../auth/caller.ts'
import { whenGone, type ApiContext, type ApiMiddleware } from './context.ts'
import { demandCurrent, liveCopy } from './lookup.ts'
import { milliseconds } from '../../domain/schedule/duration.ts'
import type { Guard, WorkloadCheck } from './pin-guard.ts'
import type { PodWaits } from './pod-waits.ts'
import type { ApiDeps } from './ports.ts'

type Planner = (workload: Workload) => Plan
/** Makes the middleware that executes an operation, or with `dryRun` only plans it. */
export function createWrites(
  deps: ApiDeps,
  podWaits: PodWaits,
): (action: Action, guard?: Guard) => ApiMiddleware {
  const { workloads, writer, rules, clock } = deps

  /** Plans before it checks: a refusal because of the workload comes before one because of the caller's rights. */
  function planner(ctx: ApiContext, request: Request, check: WorkloadCheck): Planner {
    const by = signature(ctx.state.caller)
    return (workload) => {
      const plan = planRequest(workload, request, by, clock(), rules)
      check(workload, plan.after)
      return plan
    }
  }

  async function rehearse(ctx: ApiContext, key: WorkloadKey, planOf: Planner): Promise<void> {
    const { rehearsed, after } = planOf(await liveCopy(writer, key))
    const now = clock()
    answer(ctx, now, `dry run, nothing was changed: ${rehearsed}`, statusRecord(after, now, rules))
  }

  async function execute(ctx: ApiContext, key: WorkloadKey, planOf: Planner): Promise<void> {
    const { wait } = ctx.state.input.query
    const gone = whenGone(ctx)
    const { plan, workload: written } = await send(ctx, key, planOf)
    const now = clock()
    const record = statusRecord(written, now, rules)
    if (wait === undefined) return answer(ctx, now, plan.message, record)
    const newest = podWaits.enter(ctx) ? await podWaits.followed(written, milliseconds(wait), gone) : written
    const later = clock()
    const outcome = statusRecord(newest, later, rules)
    answer(ctx, later, `${plan.message}${sinceThen(record, outcome)}`, outcome)
  }

  async function send(ctx: ApiContext, key: WorkloadKey, planOf: Planner) {
    try {
      const options = { priority: 'request', verify: true, signal: whenGone(ctx) } as const
      const written = await writer.write(key, planOf, options)
      ctx.state.changed = written.wrote
      return written
    } catch (error) {
      const code = error instanceof Refusal ? error.code : undefined
      // the patch may have been applied although no answer came
      if (code === 'CLUSTER_UNAVAILABLE') ctx.state.changed = null
      // a read reports a missing workload in our words
      if (code === 'NOT_FOUND') await liveCopy(writer, key)
      throw error
    }
  }

  return (action, guard) => async (ctx) => {
    const { path, query } = ctx.state.input
    demandCurrent(workloads, path.kind)
    const key = { kind: path.kind, namespace: path.namespace, name: path.name }
    const check = guard ? await guard(ctx) : () => undefined
    const planOf = planner(ctx, requestFrom(action, ctx.state.input), check)
    await (query.dryRun ? rehearse : execute)(ctx, key, planOf)
  }
}

type Progress = Pick<ReturnType<typeof statusRecord>, 'reason' | 'operation_in_progress' | 'waits_for'>

/** The change between a write and the end of the wait for its pods or its operator, for the message. */
export function sinceThen(written: Progress, newest: Progress): string {
  if (newest.reason !== written.reason) return `; by now ${newest.reason}`
  if (!newest.operation_in_progress) return ''
  return `; its ${newest.waits_for === 'operator' ? 'operator has' : 'pods have'} not followed yet`
}
