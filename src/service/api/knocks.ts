import { orderOf } from '../../domain/deciding/order.ts'
import { compile, firstFault } from '../../domain/validation.ts'
import { planKnock, type Knocked } from '../../domain/requests/knock.ts'
import { KNOCK, KNOCK_PATH, together, type Knock, type KnockAnswer } from '../../domain/traffic/knock.ts'
import { trafficAuthor } from '../../domain/workload/author.ts'
import { keyWithin, type Workload, type WorkloadKey } from '../../domain/workload/workload.ts'
import { RateLimit } from '../../http/rate-limit.ts'
import { Refusal } from '../../process/errors.ts'
import { signature, subjectKey } from '../auth/caller.ts'
import { auditWorkload } from './audit.ts'
import { readBody } from './body.ts'
import { whenGone, type ApiContext, type ApiMiddleware } from './context.ts'
import type { ApiDeps } from './ports.ts'

/** A waker asks once for all the connections of a Service, and looks once a second: this is for all its Services. */
const KNOCKS = { perSecond: 200, burst: 2000 }

/**
 * Answers wakers, and nobody else: what the sleepers of a Service are in, and with `wake` the wake of those that opted
 * in. It is no part of the API for people, so the OpenAPI document does not have it.
 */
export function serveKnocks(deps: ApiDeps): ApiMiddleware {
  const { settings, monotonic } = deps
  const isKnock = compile(KNOCK)
  const limit = new RateLimit(KNOCKS, monotonic)
  const answer = answersOf(deps)
  const read = readBody(settings.bodyLimit)
  return async (ctx, next) => {
    if (ctx.path !== KNOCK_PATH || ctx.method !== 'POST') return next()
    ctx.state.route = KNOCK_PATH
    refuseOthers(ctx, settings.waker)
    limit.spend(subjectKey(ctx.state.caller), 'too many knocks: wait')
    await read(ctx, async () => {
      const knock = ctx.request.body
      if (!isKnock(knock)) throw new Refusal('VALIDATION_ERROR', `body: ${firstFault(isKnock)}`)
      if (settings.excludeNamespaces.includes(knock.namespace))
        throw new Refusal('FORBIDDEN', `Dormouse never touches namespace ${knock.namespace}`)
      ctx.body = await answer(ctx, knock)
    })
  }
}

function refuseOthers({ state: { caller } }: ApiContext, waker: string | undefined): void {
  if (waker !== undefined && signature(caller) === waker) return
  throw new Refusal('FORBIDDEN', 'only the wakers may knock: ask by POST …/wake of the workload')
}

function answersOf({ workloads, writer, rules, clock, logger }: ApiDeps) {
  /** The state that it is in after the wake, if it may wake. */
  async function woken(ctx: ApiContext, key: WorkloadKey, by: string): Promise<Knocked & { wrote: boolean }> {
    const options = { priority: 'request', verify: true, signal: whenGone(ctx) } as const
    const planned = (workload: Workload) => {
      const knocked = planKnock(workload, by, clock(), rules)
      return { knocked, change: knocked.wake?.change }
    }
    const { plan, workload, wrote } = await writer.write(key, planned, options)
    if (!wrote) return { ...plan.knocked, wrote }
    auditWorkload(logger, ctx, 'wake', key, 'OK', wrote)
    return { ...planKnock(workload, by, clock(), rules), wrote }
  }

  return async (
    ctx: ApiContext,
    { namespace, service, port, workloads: names, wake }: Knock,
  ): Promise<KnockAnswer> => {
    const by = trafficAuthor(service, port)
    const found = names.flatMap((name) => workloads.get(keyIn(namespace, name)) ?? [])
    const answers: KnockAnswer[] = []
    for (const workload of found.toSorted((a, b) => orderOf(a, 'awake') - orderOf(b, 'awake'))) {
      const looked = planKnock(workload, by, clock(), rules)
      const mayWake = wake && looked.state === 'asleep'
      answers.push(
        answerAbout(workload, mayWake ? await woken(ctx, workload, by) : { ...looked, wrote: false }),
      )
    }
    const answer = together(answers)
    ctx.state.changed = answer.woken
    return answer
  }
}

function answerAbout(
  { kind, name }: WorkloadKey,
  { state, reason, until, late, usualSeconds, wrote }: Knocked & { wrote: boolean },
): KnockAnswer {
  const workloads = [{ kind, name, state, reason }]
  return { state, woken: wrote, until, late, usual_seconds: usualSeconds, workloads }
}

/** @throws Refusal VALIDATION_ERROR */
function keyIn(namespace: string, text: string): WorkloadKey {
  const key = keyWithin(namespace, text)
  if (!key) throw new Refusal('VALIDATION_ERROR', `workloads: not a workload: ${text}`)
  return key
}
