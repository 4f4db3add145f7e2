import type { Instant } from '../../process/clock.ts'
import { Refusal } from '../../process/errors.ts'
import { causeText } from '../deciding/backoff.ts'
import { decide } from '../deciding/decide.ts'
import { situationOf, type Situation } from '../deciding/situation.ts'
import { textBefore, type Reason } from '../deciding/decision.ts'
import { changeBetween, changed, type Change } from '../workload/change.ts'
import { formOf } from '../sleeping/forms.ts'
import { keptCount } from '../workload/counts.ts'
import { readWithoutState, readWorkload, type Reading } from '../workload/reading.ts'
import {
  explainedRefusal,
  refuseBackoff,
  refuseCount,
  refuseOwned,
  refusePinned,
  refuseRisk,
  refuseUnclear,
  refuseUnsettled,
  refuseScaled,
  refuseUnmanaged,
  refuseUnreadable,
} from './refusals.ts'
import { follow, type Context, type Outcome, type RequestTrigger } from './handler.ts'
import type { Telling } from './telling.ts'
import { disable, enable, putSchedule, repair } from './enable-and-schedule.ts'
import { isRisky, OPERATIONS, type Action, type Request } from './operations.ts'
import { clearOverride, override, pin, unpin } from './pin-and-override.ts'
import { adopt, snooze, wake } from './snooze-and-wake.ts'
import type { Rules } from '../deciding/rules.ts'
import { Unreadable } from '../workload/state-codec.ts'
import { counted } from '../text.ts'
import { ownedBy, type Workload } from '../workload/workload.ts'

/** A request's effect on a workload. */
export interface Effect {
  /** The workload as it is to be. */
  readonly target: Reading
  /** The change, and why the workload is in its present state, for the author. */
  readonly message: string
  /** The same where settings alone are written: the move is Dormouse's next, and the cluster may refuse that. */
  readonly deferred: string
  /** The same as a dry run tells it: `would be woken to 3 replicas: …`. */
  readonly rehearsed: string
  readonly decision: { readonly action: 'snooze' | 'wake' | 'none'; readonly reason: Reason }
}

/** The same with the change that brings it about. */
export interface Plan extends Effect {
  /** undefined: there is nothing to change. */
  readonly change: Change | undefined
  /** The workload once the change is applied. */
  readonly after: Workload
}

interface Asked {
  readonly by: string
  readonly written?: string
  readonly trigger?: RequestTrigger
  readonly clock: Instant
  readonly rules: Rules
}

/** Plans `request` by `by` at `clock`. @throws Refusal as `planOn` does */
export function planRequest(
  workload: Workload,
  request: Request,
  by: string,
  clock: Instant,
  rules: Rules,
): Plan {
  return withChange(workload, planOn(workload, readWorkload(workload, rules), request, { by, clock, rules }))
}

/** The effect on this workload with the change that brings it about. */
export function withChange(workload: Workload, effect: Effect): Plan {
  const change = changeBetween(workload, effect.target)
  return { ...effect, change, after: change ? changed(workload, change) : workload }
}

/**
 * Plans a request for a workload that is read; `written`: the annotation that it came by, to recognise a repetition. The
 * checks are in the order of docs/api.md, "Errors".
 * @throws Refusal OWNED, NOT_FOUND, INVALID_STATE, CLUSTER_UNAVAILABLE, NOT_ENABLED, PINNED, DATA_AT_RISK, IN_BACKOFF;
 * VALIDATION_ERROR for a schedule or zone
 */
export function planOn(
  workload: Workload,
  read: Reading | Unreadable,
  request: Request,
  { by, clock, rules, written, trigger = 'api' }: Asked,
): Effect {
  refuseOwned(workload)
  refuseScaled(workload, rules)
  if (workload.deleting)
    throw explainedRefusal('NOT_FOUND', 'it is being deleted: nothing can be asked of it any more', {
      code: 'deleting',
    })
  const { reading, isUnreadable } = understood(read, request, workload, rules)
  refuseUnsettled(reading)
  refuseUnclear(reading)
  const { whileUnmanaged = false } = OPERATIONS[request.action]
  const found = situationOf(reading, clock, rules)
  if (!whileUnmanaged && !found.isHeld) refuseUnmanaged(reading, rules)
  if (!leavesAlone(request, reading)) refuseCount(workload)
  if (asksToMove(request)) refusePinned(reading)
  const situation = settled(found)
  const outcome = act({ situation, by, trigger, written }, request, isUnreadable)
  const { target, says } = outcome
  if (isRisky(request) && target !== situation.reading && request.force !== true) {
    refuseRisk(situation, target.workload, request.for)
    refuseBackoff(found, request.for)
  }
  // A request that changes nothing writes nothing: the controller writes the end of a wake.
  const isUnchanged = target === found.reading
  const after = isUnchanged ? found.with(reading) : noted(found.with(target), outcome, by, written)
  return effectOf(request, after, { says, isUnchanged, before: found })
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

function understood(
  read: Reading | Unreadable,
  { action }: Request,
  workload: Workload,
  rules: Rules,
): { reading: Reading; isUnreadable: boolean } {
  if (!(read instanceof Unreadable)) {
    if (action === 'repair')
      throw new Refusal('CONFLICT', 'its dormouse.dev/state can be read: there is nothing to repair')
    return { reading: read, isUnreadable: false }
  }
  if (action !== 'enable' && action !== 'repair') refuseUnreadable(read)
  return { reading: readWithoutState(workload, rules), isUnreadable: true }
}

/** Somebody woke the sleeper, or scaled it down again: first does the controller's next step about that. */
function settled(situation: Situation): Situation {
  const { reading, state, counts, isHeld } = situation
  const isActedOn = reading.enabled === true || isHeld
  const isWoken = state.asleep && !situation.isAtRest
  const isScaledBack = counts.toGiveBack !== undefined && !situation.wantsPods
  return isActedOn && (isWoken || isScaledBack) ? situation.with(follow(situation)) : situation
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
  wake,
  repair,
  adopt: (context, { count }) => adopt(context, count),
}

function act<A extends Action>(context: Context, request: Request<A>, isUnreadable: boolean): Outcome {
  return HANDLERS[request.action](context, request, isUnreadable)
}

/** Stores a request by annotation in the state, to recognise a repetition. */
function noted(after: Situation, { pending }: Outcome, by: string, text: string | undefined): Situation {
  if (text === undefined) return after
  return after.withState({
    ...after.state,
    request: { text, at: after.now, by, ...(pending && { pending }) },
  })
}

interface Done {
  readonly says: Telling
  readonly isUnchanged: boolean
  readonly before: Situation
}

function effectOf(request: Request, situation: Situation, { says, isUnchanged, before }: Done): Effect {
  const { reading: target } = situation
  const { owner } = target.workload
  const { backoff } = before.state
  const { reason } = decide(situation)
  const warning =
    owner && !isUnchanged ? `. Note: it belongs to ${ownedBy(owner)}, which may scale it back` : ''
  const woke = target.state.asleep ? 'snooze' : 'wake'
  const moved = situation.looksAsleep !== before.looksAsleep
  const asked = asksToMove(request) || request.action === 'disable'
  const told = (text: string, moves: Moves) => {
    const also = moved && !asked ? `, which ${movedTo(target, moves)}` : ''
    const why = textBefore(reason)
    if (says.done === '') return `${[text, why].filter(Boolean).join(' ')}${also}${warning}`
    return `${[`${text}${also}`, why].filter(Boolean).join(': ')}${warning}`
  }
  const refused = moved && backoff?.refusal !== undefined ? `. Before, ${causeText(backoff)}` : ''
  return {
    target,
    message: told(says.done, ['puts', 'wakes']),
    deferred: `${told(says.done, ['is to put', 'is to wake'])}${refused}`,
    rehearsed: `${told(says.would, ['would put', 'would wake'])}${refused}`,
    decision: { action: moved ? woke : 'none', reason },
  }
}

/** The verbs for a sleep and for a wake. */
type Moves = readonly [puts: string, wakes: string]

/** The request causes a wake or snooze that it did not name, so the answer mentions it. */
function movedTo(target: Reading, [puts, wakes]: Moves): string {
  const { workload } = target
  const form = formOf(workload)
  if (target.state.asleep) {
    const kept = form.countsPods ? `, ${counted(keptCount(target), 'replica')} kept` : ''
    return `${puts} it to sleep now${kept}`
  }
  const to = form.scales ? `, to ${counted(workload.replicas, 'replica')}` : ''
  return `${wakes} it now${to}`
}
