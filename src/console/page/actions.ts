import type { ApiCall } from '../../domain/requests/operations.ts'
import { actionOn, request, type Action, type ButtonId } from './action.ts'
import type { Call } from './api.ts'
import type { Model } from './model.ts'
import { isBroken, isReleased, type Workload } from './record.ts'
import { undoOf } from './undo.ts'

/** Milliseconds. */
const HOURS_AWAKE = 4 * 3_600_000

/** A button, or an entry of a menu. */
export interface Button extends Action {
  readonly id: ButtonId
  readonly label: string
  readonly hint: string
}

/** The buttons of a workload, those of its present state alone; the first is the likeliest. */
export function buttonsOf(workload: Workload, model: Model): Button[] {
  const buttons = buttonsByState(workload, model)
  if (!isReleased(workload)) return buttons
  const told = 'Everything is released: nothing is automatic until that is undone.'
  return buttons.map((button) => Object.assign(button, { hint: `${told} ${button.hint}` }))
}

function buttonsByState(workload: Workload, model: Model): Button[] {
  const to = (words: ApiCall, query?: string, body?: object) =>
    request(model.pathOf(workload), words, query, body)
  const button = (id: ButtonId, label: string, title: string, hint: string, calls: readonly Call[], undo?: Action): Button =>
    ({ ...actionOn(workload, id, title, calls, undo), id, label, hint }) // prettier-ignore
  if (isBroken(workload))
    return [button('enable', 'Repair', 'Repair', 'Begin anew, with the count of its label', [to('POST enable')])] // prettier-ignore
  if (workload.held_by === 'pin')
    return [button('unpin', 'Unpin', 'Unpin', 'Its schedule and requests count again.', [to('DELETE pin')], undoOf('unpin', workload, model))] // prettier-ignore
  const asleep = workload.is_snoozed
  const held = workload.held_by === 'override'
  const resume = button('resume', 'Resume schedule', 'Resume the schedule of', 'Its schedule counts again.',
    [to('DELETE override')], undoOf('resume', workload, model)) // prettier-ignore
  // Asks for its hours first.
  if (!workload.enabled) return held ? [resume] : []
  const woken = undoOf('wake', workload, model, Date.now() + HOURS_AWAKE)
  const wake = asleep
    ? button('wake', 'Wake 4 h', 'Wake for 4 h', 'Awake for four hours, whatever its schedule says.', [to('POST wake', 'for=4h')], woken)
    : button('awake', 'Awake 4 h', 'Wake for 4 h', 'Stays awake for four hours, whatever its schedule says.', [to('POST wake', 'for=4h')], woken) // prettier-ignore
  const snooze = button('snooze', 'Snooze', 'Snooze', 'Asleep until its schedule wakes it.',
    [to('POST snooze')], undoOf('snooze', workload, model)) // prettier-ignore
  const keep = button('keep', 'Keep awake', 'Keep awake', 'Awake, with its schedule off, until somebody resumes it.',
    [to('POST wake'), to('POST override')], undoOf('keep', workload, model)) // prettier-ignore
  const pin = button('pin', 'Pin', 'Pin', `Held ${asleep ? 'asleep' : 'awake'}: nobody can scale it, until somebody unpins it.`,
    [to('POST pin')], undoOf('pin', workload, model)) // prettier-ignore
  const disable = button('disable', 'Stop managing', 'Stop managing', `Dormouse leaves it alone${asleep ? ', and wakes it' : ''}.`,
    [to('POST disable')], managedAgain(workload, to, model)) // prettier-ignore
  return [wake, ...(asleep ? [] : [snooze]), held ? resume : keep, pin, disable]
}

/** As it was managed, with the request or the override that was in force. */
function managedAgain(
  workload: Workload,
  to: (words: ApiCall, query?: string) => Call,
  model: Model,
): Action {
  const enable = isOwn(workload, 'enabled') ? to('POST enable') : to('POST enable', 'inherit=true')
  const { has_manual_override: held, snooze_requested, wake_requested, is_snoozed: asleep } = workload
  const was = held ? 'resume' : snooze_requested || wake_requested ? (asleep ? 'wake' : 'snooze') : undefined
  const again = was ? (undoOf(was, workload, model)?.calls ?? []) : []
  return actionOn(workload, 'enable', 'Manage', [enable, ...again])
}

/** Whether the workload itself sets it: else it is inherited. */
function isOwn({ policy }: Workload, name: 'enabled' | 'schedule' | 'timezone'): boolean {
  return policy[name].source === 'workload'
}

/** Brings back the hours that it has now; undefined: they are invalid or not known, and nothing can. */
function hoursAgain(workload: Workload, path: string): Call | undefined {
  const { policy, reason_values: values } = workload
  if ((values['fault'] ?? values['hours_unknown']) !== undefined) return undefined
  const timezone = isOwn(workload, 'timezone') ? (policy.timezone.value ?? '') : ''
  return isOwn(workload, 'schedule')
    ? request(path, 'PUT schedule', '', { schedule: policy.schedule.value ?? '', timezone })
    : request(path, 'PUT schedule', 'inherit=true', { timezone })
}

/** `wake` or `snooze` until an instant; the API takes whole minutes. */
export function until(
  verb: 'wake' | 'snooze',
  at: number,
  now: number,
  workload: Workload,
  model: Model,
): Action {
  const minutes = Math.max(1, Math.ceil((at - now) / 60_000))
  // Somebody chose the time: it counts where it is sooner, too.
  const query = verb === 'wake' ? `for=${minutes}m&shorten=true` : `for=${minutes}m`
  const { namespace, name, is_snoozed: asleep } = workload
  const action = actionOn(
    workload,
    verb === 'wake' && !asleep ? 'awake' : verb,
    verb === 'wake' ? 'Wake' : 'Snooze',
    [request(model.pathOf(workload), `POST ${verb}`, query)],
    undoOf(verb, workload, model),
  )
  return { ...action, title: `${verb === 'wake' ? 'Wake' : 'Snooze'} ${namespace}/${name} until then` }
}

/** The request that manages it, or changes its hours; fields that `body` leaves out stay. */
export function hoursCall(workload: Workload, body: object, model: Model): Call {
  return request(model.pathOf(workload), workload.enabled ? 'PUT schedule' : 'POST enable', '', body)
}

/** The same as a click, with its Undo. */
export function hours(workload: Workload, body: object, model: Model): Action {
  const { enabled } = workload
  const path = model.pathOf(workload)
  const calls = [hoursCall(workload, body, model)]
  const former = hoursAgain(workload, path)
  const ends = request(path, 'POST disable', isOwn(workload, 'enabled') ? '' : 'inherit=true')
  const undo = enabled
    ? former && actionOn(workload, 'hours', 'Former hours of', [former])
    : former && actionOn(workload, 'disable', 'Stop managing', [former, ends])
  return actionOn(workload, enabled ? 'hours' : 'enable', enabled ? 'Hours of' : 'Manage', calls, undo)
}
