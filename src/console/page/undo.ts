import type { ApiCall } from '../../domain/requests/operations.ts'
import { actionOn, request, type Action, type BulkAct } from './action.ts'
import type { Call } from './api.ts'
import type { Model } from './model.ts'
import type { Workload } from './record.ts'
import { person } from '../../words/operation.ts'

const MINUTE = 60_000

/** `keep`: a wake, and an override. */
type Act = BulkAct | 'keep'

/** A call on the workload. */
type To = (words: ApiCall, query?: string, body?: object) => Call

/**
 * The Undo of an act, so that it is as `before`, for as long. `end`: when a wake that was asked for ends. undefined: the
 * act changes nothing, or nothing that could be taken back.
 */
export function undoOf(
  act: Act,
  before: Workload,
  model: Pick<Model, 'pathOf'>,
  end?: number,
): Action | undefined {
  const now = Date.now()
  const to: To = (words, query, body) => request(model.pathOf(before), words, query, body)
  const { is_snoozed: asleep } = before
  const former = asleep ? snoozeAgain(before, now, to) : wakeAgain(before, now, to)
  const hold = to('POST override', '', restOf(before, now))
  const name = 'Switch off the schedule of'
  if (act === 'wake' || act === 'snooze') {
    if ((act === 'wake') === asleep)
      return actionOn(before, asleep ? 'snooze' : 'wake', asleep ? 'Snooze' : 'Wake', [former])
    const call = endAgain(before, end, now, to)
    return call && actionOn(before, asleep ? 'snooze' : 'awake', `Undo ${act} of`, [call])
  }
  if (act === 'keep')
    return actionOn(before, 'resume', 'Resume the schedule of', [
      to('DELETE override'),
      ...(asleep ? [former] : []),
    ])
  if (act === 'override')
    return before.has_manual_override
      ? actionOn(before, 'hold', name, [hold])
      : actionOn(before, 'resume', 'Resume the schedule of', [to('DELETE override')])
  if (act === 'resume') return actionOn(before, 'hold', name, [former, hold])
  if (act === 'pin') return actionOn(before, 'unpin', 'Unpin', [to('DELETE pin')])
  return actionOn(before, 'pin', 'Pin', [former, to('POST pin')])
}

/** A request that still counts, though another than the schedule's would; `end`: undefined: it is not known, or never. */
function asked(before: Workload): { readonly isAsked: boolean; readonly end: number | undefined } {
  const { snooze_requested, wake_requested, reason_code: code, next_transition: next } = before
  // By hand, or by a deploy.
  const isByHand = code === 'intent' || code === 'until'
  return {
    isAsked: snooze_requested || wake_requested || isByHand,
    end: next ? Date.parse(next.at) : undefined,
  }
}

function wakeAgain(before: Workload, now: number, to: To): Call {
  const { isAsked, end } = asked(before)
  return isAsked && end !== undefined
    ? to('POST wake', `for=${minutes(end, now)}&shorten=true`)
    : to('POST wake')
}

function snoozeAgain({ reason_code: code, reason_values: values }: Workload, now: number, to: To): Call {
  const { want, until } = values
  return code === 'until' && want === 'asleep' && typeof until === 'string'
    ? to('POST snooze', `for=${minutes(Date.parse(until), now)}`)
    : to('POST snooze')
}

/** Ends a request that changed only until when it stays as it is: at once where nobody had asked for anything before. */
function endAgain(before: Workload, until: number | undefined, now: number, to: To): Call | undefined {
  const { isAsked, end = Infinity } = asked(before)
  const former = isAsked ? end : now
  // A wake that ends sooner than the one in force changed nothing.
  if (former === Infinity || (until !== undefined && former > until)) return undefined
  const time = `for=${minutes(former, now)}`
  return before.is_snoozed ? to('POST snooze', time) : to('POST wake', `${time}&shorten=true`)
}

/** How much longer an override holds; undefined: for good. */
function restOf({ manual_override_until: until }: Workload, now: number): object | undefined {
  return until === null ? undefined : { duration: minutes(Date.parse(until), now) }
}

/** The API takes whole minutes, one at least. */
function minutes(until: number, now: number): string {
  return `${Math.max(1, Math.round((until - now) / MINUTE))}m`
}

/** Everything that people have asked of it, as a text to compare: changes of its pods leave it as it is. */
export function askedOf(workload: Workload): string {
  const { enabled, wake_schedule, timezone, pin_state, has_manual_override, manual_override_until } = workload
  const { snooze_requested, wake_requested, next_transition } = workload
  const held = [pin_state, has_manual_override, manual_override_until]
  const asked = [snooze_requested, wake_requested, next_transition?.at, askedBy(workload)]
  return JSON.stringify([enabled, wake_schedule, timezone, held, asked])
}

/** The person who asked for what it is, or holds it; undefined: nobody. Who released the whole cluster asked for nothing of it. */
function askedBy({ reason_code: code, reason_values: { by } }: Workload): string | undefined {
  return typeof by === 'string' && code !== 'released' ? person(by) : undefined
}

/** The same where it is another person than `user`. */
export function otherWho(workload: Workload, user: string | null): string | undefined {
  const by = askedBy(workload)
  return by === user ? undefined : by
}

/** The Undo of a click, for as long as nobody else changes what the click made of the workload. */
export function guarded(
  undo: Action | undefined,
  before: Workload | undefined,
  after: Workload,
): Action | undefined {
  return undo && before ? { ...undo, only: [askedOf(before), askedOf(after)] } : undo
}

/**
 * Whether somebody else than `user` has changed it since the click that this takes back. The list may still be of before
 * the click.
 */
export function isOthersNow({ only }: Action, now: Workload, user: string | null): boolean {
  if (only === undefined || only.includes(askedOf(now))) return false
  const by = askedBy(now)
  return by === undefined || by !== user
}

export function changedBy(workload: Workload): string {
  const by = askedBy(workload)
  return by === undefined ? 'changed' : `changed by ${by}`
}
