import type { Instant } from '../../service/process/clock.ts'
import { Refusal } from '../../service/process/errors.ts'
import { decide } from '../deciding/decide.ts'
import { isHeld, Situation } from '../deciding/situation.ts'
import { decisionTime } from '../deciding/decision-time.ts'
import { textBefore, type Reason } from '../deciding/decision.ts'
import { changeBetween, changed } from '../workload/change.ts'
import { completed } from '../deciding/history.ts'
import { hasCount, sleepsSuspended } from '../kinds.ts'
import type { Change } from '../workload/patch.ts'
import { countsOf, keptCount } from '../workload/counts.ts'
import { readWithoutState, readWorkload, withState, type Reading } from '../workload/reading.ts'
import {
  explainedRefusal,
  refuseBackoff,
  refuseCount,
  refuseOwned,
  refusePinned,
  refuseRisk,
  refuseUnsettled,
  refuseScaled,
  refuseUnmanaged,
  refuseUnreadable,
} from './refusals.ts'
import { follow, type Context, type Outcome } from './handler.ts'
import { adopt } from './adopt.ts'
import { disable, enable, putSchedule, repair } from './enable-and-schedule.ts'
import { isRisky, OPERATIONS, type Action, type Request } from './operations.ts'
import { clearOverride, override, pin, unpin } from './pin-and-override.ts'
import { snooze, wake } from './snooze-and-wake.ts'
import type { Rules } from '../deciding/rules.ts'
import { Unreadable } from '../workload/state-codec.ts'
import { counted } from '../text.ts'
import { isRunning, ownedBy, type Workload } from '../workload/workload.ts'

/** A request's effect on a workload. */
export interface Plan {
  /** undefined: there is nothing to change. */
  readonly change: Change | undefined
  /** What was done, and why the workload is in its present state, for the author. */
  readonly message: string
  /** The workload once the change is applied. */
  readonly after: Workload
  readonly decision: { readonly action: 'snooze' | 'wake' | 'none'; readonly reason: Reason }
}

/**
 * Plans `request` by `by` at `clock`; `written`: the annotation that it came by, to recognise a repetition. The checks
 * are in the order of design, section 5.
 * @throws Refusal OWNED, NOT_FOUND, INVALID_STATE, CLUSTER_UNAVAILABLE, NOT_ENABLED, PINNED, DATA_AT_RISK, IN_BACKOFF;
 * VALIDATION_ERROR for a schedule or zone
 */
export function planRequest(
  workload: Workload,
  request: Request,
  by: string,
  clock: Instant,
  rules: Rules,
  written?: string,
): Plan {
  refuseOwned(workload)
  refuseScaled(workload, rules)
  if (workload.deleting)
    throw explainedRefusal('NOT_FOUND', 'it is being deleted: nothing can be asked of it any more', {
      code: 'deleting',
    })
  const { reading, isUnreadable } = readFor(request, workload, rules)
  refuseUnsettled(reading)
  const { whileUnmanaged = false } = OPERATIONS[request.action]
  const now = decisionTime(reading.state, clock)
  if (!whileUnmanaged && !isHeld(reading, now)) refuseUnmanaged(reading, rules)
  if (!leavesAlone(request, reading)) refuseCount(workload)
  if (asksToMove(request)) refusePinned(reading)
  const done = completed(reading, now, rules.policy)
  const settled = settle(done, now, rules)
  const outcome = act({ reading: settled, by, now, rules, written }, request, isUnreadable)
  if (isRisky(request) && outcome.target !== settled && request.force !== true) {
    refuseRisk(settled.workload, outcome.target.workload, request.for)
    refuseBackoff(reading, now, rules, request.for)
  }
  // A request that changes nothing writes nothing: the controller writes the end of a wake.
  const isUnchanged = outcome.target === done
  const noting = isUnchanged ? { ...outcome, target: reading } : noted(outcome, by, now, written)
  return planOf(workload, request, noting, now, rules)
}

/** Whether a request asks for awake or asleep: a pin forbids that, and the answer need not repeat it. */
function asksToMove({ action }: Request): boolean {
  const { moves } = OPERATIONS[action]
  return moves === 'awake' || moves === 'asleep'
}

/** Whether the workload is in nobody's hands afterwards, and its count is written nowhere. */
function leavesAlone({ action }: Request, { enabled, state }: Reading): boolean {
  const { whileUnmanaged = false } = OPERATIONS[action]
  const ends = whileUnmanaged && action !== 'enable'
  return !state.asleep && ends && (action === 'disable' || enabled === false)
}

function readFor(
  { action }: Request,
  workload: Workload,
  rules: Rules,
): { reading: Reading; isUnreadable: boolean } {
  const read = readWorkload(workload, rules)
  if (!(read instanceof Unreadable)) {
    if (action === 'repair')
      throw new Refusal('CONFLICT', 'its dormouse.dev/state can be read: there is nothing to repair')
    return { reading: read, isUnreadable: false }
  }
  if (action !== 'enable' && action !== 'repair') refuseUnreadable(read)
  return { reading: readWithoutState(workload, rules), isUnreadable: true }
}

/** Somebody woke the sleeper, or scaled it down again: first does the controller's next step about that. */
function settle(reading: Reading, now: Instant, rules: Rules): Reading {
  const { state, workload, enabled } = reading
  const isActedOn = enabled === true || isHeld(reading, now)
  const isWoken = state.asleep && isRunning(workload)
  const isScaledBack = countsOf(reading).toGiveBack !== undefined && !isRunning(workload)
  return isActedOn && (isWoken || isScaledBack) ? follow(reading, now, rules) : reading
}

const HANDLERS: {
  readonly [A in Action]: (context: Context, request: Request<A>, isUnreadable: boolean) => Outcome
} = {
  enable,
  disable,
  schedule: putSchedule,
  override: (context, { duration }) => override(context, duration),
  clearOverride,
  pin,
  unpin,
  snooze: (context, request) => snooze(context, request.for),
  wake: (context, request) => wake(context, request.for),
  repair,
  adopt: (context, { count }) => adopt(context, count),
}

function act<A extends Action>(context: Context, request: Request<A>, isUnreadable: boolean): Outcome {
  return HANDLERS[request.action](context, request, isUnreadable)
}

/** Stores a request by annotation in the state, to recognise a repetition. */
function noted(outcome: Outcome, by: string, now: Instant, text: string | undefined): Outcome {
  if (text === undefined) return outcome
  const request = { text, at: now, by, ...(outcome.pending && { pending: outcome.pending }) }
  return { ...outcome, target: withState(outcome.target, { ...outcome.target.state, request }) }
}

function planOf(
  workload: Workload,
  request: Request,
  { target, done }: Outcome,
  now: Instant,
  rules: Rules,
): Plan {
  const change = changeBetween(workload, target)
  const { reason } = decide(new Situation(target, now, rules))
  const after = change ? changed(workload, change) : workload
  const warning =
    workload.owner && change
      ? `. Note: it belongs to ${ownedBy(workload.owner)}, which may scale it back`
      : ''
  const woke = target.state.asleep ? 'snooze' : 'wake'
  const moved = isRunning(after) !== isRunning(workload)
  const asked = asksToMove(request) || request.action === 'disable'
  const also = moved && !asked ? `, which ${movedTo(target, after)}` : ''
  return {
    change,
    after,
    message: `${done}${also}: ${textBefore(reason)}${warning}`,
    decision: { action: moved ? woke : 'none', reason },
  }
}

/** The request causes a wake or snooze that it did not name, so the answer mentions it. */
function movedTo(target: Reading, after: Workload): string {
  if (target.state.asleep) {
    const kept = sleepsSuspended(after.kind) ? '' : `, ${counted(keptCount(target), 'replica')} kept`
    return `puts it to sleep now${kept}`
  }
  const to = hasCount(after.kind) ? `, to ${counted(after.replicas, 'replica')}` : ''
  return `wakes it now${to}`
}
