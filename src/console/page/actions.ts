import type { ApiCall } from '../../domain/requests/operations.ts'
import type { Action } from './action.ts'
import type { Call } from './api.ts'
import type { Model } from './model.ts'
import { isBroken, type Identity, type Workload } from './record.ts'

/** A button, or an entry of a menu. */
export interface Button extends Action {
  readonly id: ButtonId
  readonly label: string
  readonly hint: string
}

/** By the ids of buttons: the right that it needs, what is said once it was done, and where it was not. */
const SAID = {
  wake: { need: 'scale', done: 'wakes', not: 'was not woken' },
  awake: { need: 'scale', done: 'stays awake', not: 'was not kept awake' },
  snooze: { need: 'scale', done: 'goes to sleep', not: 'was not put to sleep' },
  keep: { need: 'hold', done: 'stays awake', not: 'was not kept awake' },
  resume: { need: 'hold', done: 'follows its schedule again', not: 'does not follow its schedule yet' },
  pin: { need: 'hold', done: 'is pinned', not: 'was not pinned' },
  unpin: { need: 'hold', done: 'is unpinned', not: 'was not unpinned' },
  enable: { need: 'change', done: 'is managed', not: 'is not managed' },
  hours: { need: 'change', done: 'has new hours', not: 'keeps its hours' },
  disable: { need: 'change', done: 'is left alone', not: 'is managed as before' },
} as const
type ButtonId = keyof typeof SAID

/** The call that asks for it, of a workload or of all in a namespace: `path` behind `/api/v1`. */
export function request(path: string, words: ApiCall, query = '', body?: object): Call {
  const [method, last] = words.split(' ') as [Call['method'], string]
  return { method, path: `${path}/${last}${query && `?${query}`}`, ...(body && { body }) }
}

function identityOf({ namespace, type, name, cluster }: Workload): Identity {
  return { namespace, type, name, ...(cluster !== undefined && { cluster }) }
}

function action(id: ButtonId, title: string, workload: Workload, calls: readonly Call[]): Action {
  return { title, ...SAID[id], about: identityOf(workload), calls }
}

/** The buttons of a workload, those of its present state alone; the first is the likeliest. */
export function buttonsOf(workload: Workload, model: Model): Button[] {
  const path = model.pathOf(workload)
  const place = `${workload.namespace}/${workload.name}`
  const to = (words: ApiCall, query?: string, body?: object) => request(path, words, query, body)
  const back = (id: ButtonId, title: string, ...calls: readonly Call[]) =>
    action(id, `${title} ${place}`, workload, calls)
  const button = (id: ButtonId, label: string, title: string, hint: string, calls: readonly Call[], undo?: Action): Button =>
    ({ ...action(id, `${title} ${place}`, workload, calls), id, label, hint, ...(undo && { undo }) }) // prettier-ignore
  if (isBroken(workload))
    return [button('enable', 'Repair', 'Repair', 'Begin anew, with the count of its label', [to('POST enable')])] // prettier-ignore
  if (workload.held_by === 'pin')
    return [button('unpin', 'Unpin', 'Unpin', 'Its schedule and requests count again.', [to('DELETE pin')])]
  const asleep = workload.is_snoozed
  const held = workload.held_by === 'override'
  const asleepAgain = back('snooze', 'Snooze', to('POST snooze'))
  const former = to(asleep ? 'POST snooze' : 'POST wake')
  const resume = button('resume', 'Resume schedule', 'Resume the schedule of', 'Its schedule counts again.',
    [to('DELETE override')], back('keep', 'Switch off the schedule of', former, to('POST override', '', restOf(workload)))) // prettier-ignore
  // Asks for its hours first.
  if (!workload.enabled) return held ? [resume] : []
  const wake = asleep
    ? button('wake', 'Wake 4 h', 'Wake for 4 h', 'Awake for four hours, whatever its schedule says.', [to('POST wake', 'for=4h')], asleepAgain)
    : button('awake', 'Awake 4 h', 'Wake for 4 h', 'Stays awake for four hours, whatever its schedule says.', [to('POST wake', 'for=4h')], awakeAsBefore(workload, Date.now() + 4 * 3_600_000, model)) // prettier-ignore
  const snooze = button('snooze', 'Snooze', 'Snooze', 'Asleep until its schedule wakes it.',
    [to('POST snooze')], back('wake', 'Wake', to('POST wake'))) // prettier-ignore
  const resumed = [to('DELETE override'), ...(asleep ? [to('POST snooze')] : [])]
  const keep = button('keep', 'Keep awake', 'Keep awake', 'Awake, with its schedule off, until somebody resumes it.',
    [to('POST wake'), to('POST override')], back('resume', 'Resume the schedule of', ...resumed)) // prettier-ignore
  const pin = button('pin', 'Pin', 'Pin', `Held ${asleep ? 'asleep' : 'awake'}: nobody can scale it, until somebody unpins it.`,
    [to('POST pin')], back('unpin', 'Unpin', to('DELETE pin'))) // prettier-ignore
  const disable = button('disable', 'Stop managing', 'Stop managing', `Dormouse leaves it alone${asleep ? ', and wakes it' : ''}.`,
    [to('POST disable')], held ? undefined : back('enable', 'Manage', isOwn(workload, 'enabled') ? to('POST enable') : to('POST enable', 'inherit=true'))) // prettier-ignore
  return [wake, ...(asleep ? [] : [snooze]), held ? resume : keep, pin, disable]
}

/**
 * Ends a wake that kept awake what was awake: by a request that ends when it was to sleep before, at once where nobody had
 * asked for more. `until`: where a wake that ends then changes nothing, there is nothing to undo.
 */
function awakeAsBefore(workload: Workload, until: number | undefined, model: Model): Action | undefined {
  const { wake_requested: asked, next_transition: next, namespace, name } = workload
  const end = asked ? (next ? Date.parse(next.at) : Infinity) : Date.now()
  if (end === Infinity || (until !== undefined && end > until)) return undefined
  const minutes = Math.max(1, Math.round((end - Date.now()) / 60_000))
  const call = request(model.pathOf(workload), 'POST wake', `for=${minutes}m&shorten=true`)
  return action('awake', `Undo wake of ${namespace}/${name}`, workload, [call])
}

/** How much longer an override holds; undefined: for good. */
function restOf({ manual_override_until: until }: Workload): object | undefined {
  if (until === null) return undefined
  return { duration: `${Math.max(1, Math.round((Date.parse(until) - Date.now()) / 60_000))}m` }
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
  const { namespace, name, is_snoozed: asleep } = workload
  const call = (words: ApiCall, query?: string) => [request(model.pathOf(workload), words, query)]
  const [id, opposite] = verb === 'wake' ? (['wake', 'snooze'] as const) : (['snooze', 'wake'] as const)
  const isMoved = (verb === 'wake') === asleep
  const moved = () =>
    action(opposite, `Undo ${verb} of ${namespace}/${name}`, workload, call(`POST ${opposite}`))
  const kept = () => (verb === 'wake' ? awakeAsBefore(workload, undefined, model) : undefined)
  const undo = isMoved ? moved() : kept()
  return {
    ...action(
      isMoved || verb === 'snooze' ? id : 'awake',
      `${verb === 'wake' ? 'Wake' : 'Snooze'} ${namespace}/${name} until then`,
      workload,
      // Somebody chose the time: it counts where it is sooner, too.
      call(`POST ${verb}`, verb === 'wake' ? `for=${minutes}m&shorten=true` : `for=${minutes}m`),
    ),
    ...(undo && { undo }),
  }
}

/** The request that manages it, or changes its hours; fields that `body` leaves out stay. */
export function hoursCall(workload: Workload, body: object, model: Model): Call {
  return request(model.pathOf(workload), workload.enabled ? 'PUT schedule' : 'POST enable', '', body)
}

/** The same as a click, with its Undo. */
export function hours(workload: Workload, body: object, model: Model): Action {
  const { namespace, name, enabled } = workload
  const path = model.pathOf(workload)
  const place = `${namespace}/${name}`
  const calls = [hoursCall(workload, body, model)]
  const former = hoursAgain(workload, path)
  const ends = request(path, 'POST disable', isOwn(workload, 'enabled') ? '' : 'inherit=true')
  const undo = enabled
    ? former && action('hours', `Former hours of ${place}`, workload, [former])
    : former && action('disable', `Stop managing ${place}`, workload, [former, ends])
  return {
    ...action(enabled ? 'hours' : 'enable', `${enabled ? 'Hours of' : 'Manage'} ${place}`, workload, calls),
    ...(undo && { undo }),
  }
}
