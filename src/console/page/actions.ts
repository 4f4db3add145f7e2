import type { ApiCall } from '../../domain/requests/operations.ts'
import { choicesOf, WAKE_FOR, type Choice, type ChoiceId } from '../../words/buttons.ts'
import { actionOn, request, type Action } from './action.ts'
import type { Call } from './api.ts'
import type { Model } from './model.ts'
import type { Workload } from './record.ts'
import { undoOf } from './undo.ts'

/** A button, or an entry of a menu. */
export interface Button extends Action, Choice {}

type Paths = Pick<Model, 'pathOf'>
type Words = readonly [words: ApiCall, query?: string]

/** The requests of each button; before them its name in the sign-in dialog, which the workload's follows. */
const CLICKS: Readonly<Record<ChoiceId, readonly [title: string, ...requests: Words[]]>> = {
  enable: ['Repair', ['POST enable']],
  unpin: ['Unpin', ['DELETE pin']],
  resume: ['Resume the schedule of', ['DELETE override']],
  wake: ['Wake for 4 h', ['POST wake', 'for=4h']],
  awake: ['Wake for 4 h', ['POST wake', 'for=4h']],
  snooze: ['Snooze', ['POST snooze']],
  keep: ['Keep awake', ['POST wake'], ['POST override']],
  pin: ['Pin', ['POST pin']],
  disable: ['Stop managing', ['POST disable']],
}

/** The buttons of a workload, those of its present state alone; the first is the likeliest. */
export function buttonsOf(workload: Workload, paths: Paths): Button[] {
  return choicesOf(workload).map((choice) => {
    const [title, ...requests] = CLICKS[choice.id]
    const calls = requests.map((words) => request(paths.pathOf(workload), ...words))
    const undo = undoOfClick(choice.id, workload, paths)
    return Object.assign(actionOn(workload, choice.id, title, calls, undo), choice)
  })
}

function undoOfClick(id: ChoiceId, workload: Workload, paths: Paths): Action | undefined {
  // Nothing brings back a damaged state.
  if (id === 'enable') return undefined
  if (id === 'disable') return managedAgain(workload, paths)
  if (id === 'wake' || id === 'awake') return undoOf('wake', workload, paths, Date.now() + WAKE_FOR)
  return undoOf(id, workload, paths)
}

/** As it was managed, with the request or the override that was in force. */
function managedAgain(workload: Workload, paths: Paths): Action {
  const { has_manual_override: held, snooze_requested, wake_requested, is_snoozed: asleep } = workload
  const inherit = isOwn(workload, 'enabled') ? '' : 'inherit=true'
  const enable = request(paths.pathOf(workload), 'POST enable', inherit)
  const isAsked = snooze_requested || wake_requested
  const ended = held ? 'resume' : isAsked ? (asleep ? 'wake' : 'snooze') : undefined
  const again = ended ? (undoOf(ended, workload, paths)?.calls ?? []) : []
  return actionOn(workload, 'enable', 'Manage', [enable, ...again])
}

/** Whether the workload itself sets it: else it is inherited. */
function isOwn({ policy }: Workload, name: 'enabled' | 'schedule' | 'timezone'): boolean {
  return policy[name].source === 'workload'
}

/** `wake` or `snooze` until an instant; the API takes whole minutes. */
export function until(
  verb: 'wake' | 'snooze',
  at: number,
  now: number,
  workload: Workload,
  paths: Paths,
): Action {
  const { namespace, name, is_snoozed: asleep } = workload
  const isWake = verb === 'wake'
  const time = `for=${Math.max(1, Math.ceil((at - now) / 60_000))}m`
  // Somebody chose the time: it counts where it is sooner, too.
  const call = request(paths.pathOf(workload), `POST ${verb}`, isWake ? `${time}&shorten=true` : time)
  const id = isWake && !asleep ? 'awake' : verb
  const action = actionOn(workload, id, '', [call], undoOf(verb, workload, paths))
  return { ...action, title: `${isWake ? 'Wake' : 'Snooze'} ${namespace}/${name} until then` }
}

/** The request that manages it, or changes its hours; fields that `body` leaves out stay. */
export function hoursCall(workload: Workload, body: object, paths: Paths): Call {
  return request(paths.pathOf(workload), workload.enabled ? 'PUT schedule' : 'POST enable', '', body)
}

/** The same as a click, with its Undo. */
export function hours(workload: Workload, body: object, paths: Paths): Action {
  const calls = [hoursCall(workload, body, paths)]
  const path = paths.pathOf(workload)
  const former = formerHours(workload, path)
  if (workload.enabled) {
    const undo = former && actionOn(workload, 'hours', 'Former hours of', [former])
    return actionOn(workload, 'hours', 'Hours of', calls, undo)
  }
  const disable = request(path, 'POST disable', isOwn(workload, 'enabled') ? '' : 'inherit=true')
  const undo = former && actionOn(workload, 'disable', 'Stop managing', [former, disable])
  return actionOn(workload, 'enable', 'Manage', calls, undo)
}

/** Brings back the hours that it has now; undefined: they are invalid or not known, and nothing can. */
function formerHours(workload: Workload, path: string): Call | undefined {
  const { policy, reason_values: values } = workload
  if ((values['fault'] ?? values['hours_unknown']) !== undefined) return undefined
  const timezone = isOwn(workload, 'timezone') ? (policy.timezone.value ?? '') : ''
  return isOwn(workload, 'schedule')
    ? request(path, 'PUT schedule', '', { schedule: policy.schedule.value ?? '', timezone })
    : request(path, 'PUT schedule', 'inherit=true', { timezone })
}
