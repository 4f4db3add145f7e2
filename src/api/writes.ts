import { statusRecord, type StatusRecord } from '../domain/record.ts'
import { planRequest, type Plan, type Request } from '../domain/request.ts'
import type { Workload, WorkloadKey } from '../domain/workload.ts'
import { Refusal } from '../errors.ts'
import { answer } from './answers.ts'
import type { ApiContext, Input, Step } from './context.ts'
import { milliseconds } from './durations.ts'
import { whenGone } from './gone.ts'
import type { Guard, Judge } from './held.ts'
import { signature, subjectKey } from './auth/identity.ts'
import type { ApiDeps } from './ports.ts'
import { demandCurrent, liveCopy } from './reads.ts'
import type { WaitingRoom } from './waiting.ts'

type Planner = (workload: Workload) => Plan
/** What the input of an operation asks of the domain. */
type Asked = (input: Input) => Request

/** Makes the step that carries out an operation, or with `dryRun` says what would happen. */
export function createWrites(deps: ApiDeps, waitingRoom: WaitingRoom): (asked: Asked, guard?: Guard) => Step {
  const { workloads, writer, rules, clock } = deps

  /** The rules first: what is no workload to ask anything of is told before what the caller may not. */
  function planner(ctx: ApiContext, request: Request, judge: Judge): (workload: Workload) => Plan {
    const by = signature(ctx.state.caller)
    return (workload) => {
      const plan = planRequest(workload, request, by, clock(), rules)
      judge(workload)
      return plan
    }
  }

  async function rehearse(ctx: ApiContext, key: WorkloadKey, planOf: Planner): Promise<void> {
    const { message, after } = planOf(await liveCopy(deps, key))
    const now = clock()
    answer(ctx, now, `dry run, nothing was changed: ${message}`, statusRecord(after, now, rules))
  }

  async function send(ctx: ApiContext, key: WorkloadKey, planOf: Planner) {
    try {
      const written = await writer.write(key, planOf, { priority: 'request', verify: true })
      ctx.state.changed = written.wrote
      return written
    } catch (error) {
      const code = error instanceof Refusal ? error.code : undefined
      // a patch that was sent may have been carried out without an answer
      if (code === 'CLUSTER_UNAVAILABLE') ctx.state.changed = null
      // what is gone is told in the words of a read, not in the cluster's
      if (code === 'NOT_FOUND') await liveCopy(deps, key)
      throw error
    }
  }

  async function carryOut(ctx: ApiContext, key: WorkloadKey, planOf: Planner): Promise<void> {
    const { caller, input } = ctx.state
    const { wait } = input.query
    const gone = whenGone(ctx)
    const place = wait === undefined ? undefined : waitingRoom.reserve(subjectKey(caller))
    try {
      const written = await send(ctx, key, planOf)
      const { message } = written.plan
      if (!place || wait === undefined) {
        const now = clock()
        return answer(ctx, now, message, statusRecord(written.workload, now, rules))
      }
      const workload = await place.followed(written.workload, milliseconds(wait), gone)
      const now = clock()
      const record = statusRecord(workload, now, rules)
      answer(ctx, now, withOutcome(message, record), record)
    } finally {
      place?.release()
    }
  }

  return (asked, guard) => async (ctx) => {
    const { path, query } = ctx.state.input
    demandCurrent(workloads, path.kind)
    const key = { kind: path.kind, namespace: path.namespace, name: path.name }
    const judge = guard ? await guard(ctx) : letPass
    await (query.dryRun ? rehearse : carryOut)(ctx, key, planner(ctx, asked(ctx.state.input), judge))
  }
}

function letPass(): void {}

/** What was done, and what has become of it while its pods were awaited. */
function withOutcome(message: string, { reason, operation_in_progress: late }: StatusRecord): string {
  if (!message.includes(reason)) return `${message}; by now ${reason}`
  return late ? `${message}; its pods have not followed yet` : message
}

export const enable: Asked = ({ body }) => ({ action: 'enable', ...setting(body) })
export const disable: Asked = () => ({ action: 'disable' })
export const override: Asked = ({ body: { duration } }) => ({
  action: 'override',
  duration: duration ? milliseconds(duration) : null,
})
export const clearOverride: Asked = () => ({ action: 'clear-override' })
export const pin: Asked = () => ({ action: 'pin' })
export const unpin: Asked = () => ({ action: 'unpin' })
export const snooze: Asked = ({ query }) => ({ action: 'snooze', ...limits(query) })
export const wake: Asked = ({ query }) => ({ action: 'wake', ...limits(query) })
export const schedule: Asked = ({ body }) => ({ action: 'schedule', ...setting(body) })

function setting({ schedule, timezone }: Input['body']): { schedule?: string; timezone?: string } {
  return { ...(schedule !== undefined && { schedule }), ...(timezone !== undefined && { timezone }) }
}

function limits({ for: hold, force }: Input['query']): { for?: number; force?: boolean } {
  return { ...(hold !== undefined && { for: milliseconds(hold) }), ...(force !== undefined && { force }) }
}
