import { plannedSteps } from '../../domain/records/plan.ts'
import { transitionRecord, type TransitionRecord } from '../../domain/records/record.ts'
import { withHours } from '../../domain/requests/as-if.ts'
import { counted } from '../../domain/text.ts'
import type { Instant } from '../../process/clock.ts'
import { inTurns } from '../../process/turns.ts'
import { answer } from './answers.ts'
import type { ApiMiddleware } from './context.ts'
import { continueToken, startAgain } from './continue-tokens.ts'
import { newestCopy } from './lookup.ts'
import { PLAN_HOURS, PLAN_PAGE } from './openapi/parameters.ts'
import type { ApiDeps } from './ports.ts'

const HOUR = 3_600_000

/** Makes the middleware that answers with the coming transitions of a workload, in pages; also as if it had other hours. */
export function createPlans(deps: ApiDeps): ApiMiddleware {
  const { workloads, writer, rules, clock } = deps
  return async (ctx) => {
    const { path, query } = ctx.state.input
    const found = await newestCopy(workloads, writer, path)
    const now = clock()
    const workload = withHours(found, query, now, rules)
    const hours = query.hours ?? PLAN_HOURS
    const { told, until } = positionOf(ctx.state.after, now + hours * HOUR)
    // As they are sent: a reason that nobody has read holds the whole workload.
    const steps: { at: Instant; record: TransitionRecord }[] = []
    const full = new AbortController()
    // A month of a schedule may take 2,000 decisions.
    await inTurns(
      plannedSteps(workload, now, rules, until),
      (step) => {
        if (!step || step.at <= told) return
        // one too many shows that another page follows
        if (steps.push({ at: step.at, record: transitionRecord(step) }) > PLAN_PAGE)
          full.abort('the page is full')
      },
      full.signal,
    )
    const shown = steps.slice(0, PLAN_PAGE)
    const last = full.signal.aborted ? shown.at(-1) : undefined
    const token = last ? continueToken(`${last.at}/${until}`, ctx) : null
    const more = token === null ? '' : ': send continue for more'
    const message = `${counted(shown.length, 'transition')} in the next ${counted(hours, 'hour')}${more}`
    const records = shown.map(({ record }) => record)
    answer(ctx, now, message, records, { continue: token })
  }
}

/** The instant of the last transition sent, and the end of the plan, at most `farthest`. */
function positionOf(after: string, farthest: Instant): { told: Instant; until: Instant } {
  if (after === '') return { told: -Infinity, until: farthest }
  const [told = NaN, until = NaN] = after.split('/').map(Number)
  if (!Number.isFinite(told + until)) throw startAgain()
  return { told, until: Math.min(until, farthest) }
}
