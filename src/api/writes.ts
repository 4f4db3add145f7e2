import { statusRecord } from '../domain/record.ts'
import { planRequest, type Request } from '../domain/request.ts'
import { podsFollowed, type Workload, type WorkloadKey } from '../domain/workload.ts'
import { answer } from './answers.ts'
import type { ApiContext, Input, Step } from './context.ts'
import { milliseconds } from './durations.ts'
import { signature, subjectKey } from './identity.ts'
import type { ApiDeps } from './ports.ts'
import { demandSynced, liveCopy } from './reads.ts'
import type { WaitingRoom } from './waiting.ts'

/** What the input of an operation asks of the domain. */
type Asked = (input: Input) => Request

/** Makes the step that carries out an operation, or with `dryRun` says what would happen. */
export function createWrites(deps: ApiDeps, waitingRoom: WaitingRoom): (asked: Asked) => Step {
  const { workloads, writer, rules, clock } = deps

  async function rehearse(ctx: ApiContext, key: WorkloadKey, request: Request): Promise<void> {
    const workload = await liveCopy(deps, key)
    const now = clock()
    const { message, after } = planRequest(workload, request, signature(ctx.state.caller), now, rules)
    answer(ctx, now, `dry run, nothing was changed: ${message}`, statusRecord(after, now, rules))
  }

  async function carryOut(ctx: ApiContext, key: WorkloadKey, request: Request): Promise<void> {
    const { caller, input } = ctx.state
    const by = signature(caller)
    const { wait } = input.query
    const place = wait === undefined ? undefined : waitingRoom.reserve(subjectKey(caller))
    try {
      const plan = (workload: Workload) => planRequest(workload, request, by, clock(), rules)
      const written = await writer.write(key, plan, { priority: 'request', verify: true })
      ctx.state.changed = written.wrote
      const { message } = written.plan
      if (!place || wait === undefined) return answerStatus(ctx, message, written.workload)
      const workload = await place.followed(written.workload, milliseconds(wait), untilClosed(ctx))
      answerStatus(ctx, message, workload, podsFollowed(workload) && { operation_in_progress: false })
    } finally {
      place?.release()
    }
  }

  function answerStatus(
    ctx: ApiContext,
    message: string,
    workload: Workload,
    known: object | false = {},
  ): void {
    const now = clock()
    answer(ctx, now, message, { ...statusRecord(workload, now, rules), ...known })
  }

  return (asked) => async (ctx) => {
    const { path, query } = ctx.state.input
    demandSynced(workloads)
    const key = { kind: path.kind, namespace: path.namespace, name: path.name }
    await (query.dryRun ? rehearse : carryOut)(ctx, key, asked(ctx.state.input))
  }
}

function untilClosed({ res }: ApiContext): AbortSignal {
  const closed = new AbortController()
  res.once('close', () => closed.abort())
  return closed.signal
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
