import type { ApiCall } from '../../domain/requests/operations.ts'
import type { Action } from './action.ts'
import type { Call } from './api.ts'
import type { Model } from './model.ts'
import { isAsleep, isBroken, type Workload } from './record.ts'

/** A button. */
export interface Button extends Action {
  readonly id: string
  readonly label: string
  readonly hint: string
}

/** By the ids of buttons: for where nobody has answered. */
const NOT = {
  wake: 'Not woken',
  snooze: 'Not put to sleep',
  keep: 'Not kept awake',
  resume: 'Schedule not resumed',
  pin: 'Not pinned',
  unpin: 'Not unpinned',
  enable: 'Not repaired',
  disable: 'Still managed',
}
type ButtonId = keyof typeof NOT

type Make = (id: ButtonId, label: string, title: string, hint: string, ...calls: readonly Call[]) => Button

/** The call that asks for it, of a workload or of all in a namespace: `path` behind `/api/v1`. */
export function request(path: string, words: ApiCall, query = '', body?: object): Call {
  const [method, last] = words.split(' ') as [Call['method'], string]
  return { method, path: `${path}/${last}${query && `?${query}`}`, ...(body && { body }) }
}

/** The buttons of a workload, those of its present state alone. */
export function buttonsOf(workload: Workload, model: Model): Button[] {
  const path = model.pathOf(workload)
  const { namespace, type, name } = workload
  const to = (words: ApiCall, query?: string) => request(path, words, query)
  const button: Make = (id, label, title, hint, ...calls) => ({
    id,
    label,
    hint,
    title: `${title} ${namespace}/${name}`,
    not: NOT[id],
    about: { namespace, type, name },
    calls,
  })
  if (isBroken(workload))
    return [
      button('enable', 'Repair', 'Repair', 'Begin anew, with the count of its label', to('POST enable')),
    ]
  if (workload.held_by === 'pin')
    return [button('unpin', 'Unpin', 'Unpin', 'The schedule and requests count again', to('DELETE pin'))]
  const asleep = isAsleep(workload)
  const held = workload.held_by === 'override'
  const resume = button(
    'resume',
    'Resume schedule',
    'Resume the schedule of',
    'The schedule counts again',
    to('DELETE override'),
  )
  // Asks for its hours first.
  if (!workload.enabled) return held ? [resume] : []
  return [
    button('wake', asleep ? 'Wake 4 h' : 'Awake 4 h', 'Wake for 4 h', `${asleep ? 'Wake it' : 'Keep it awake'} for four hours, whatever the schedule says`, to('POST wake', 'for=4h')),
    ...(asleep ? [] : [button('snooze', 'Snooze', 'Snooze', 'Asleep until its schedule wakes it', to('POST snooze'))]),
    held
      ? resume
      : button('keep', 'Keep awake', 'Keep awake', 'Awake, with its schedule off, until resumed',
          to('POST wake'), to('POST override')),
    button('pin', 'Pin', 'Pin', `Hold it ${asleep ? 'asleep' : 'awake'}: nobody can scale it until unpinned`, to('POST pin')),
    button('disable', 'Stop managing', 'Stop managing', `Dormouse leaves it alone${asleep ? ', and wakes it' : ''}`, to('POST disable')),
  ] // prettier-ignore
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
  const { namespace, type, name } = workload
  return {
    title: `${verb === 'wake' ? 'Wake' : 'Snooze'} ${namespace}/${name} until then`,
    not: NOT[verb],
    about: { namespace, type, name },
    calls: [request(model.pathOf(workload), `POST ${verb}`, `for=${minutes}m`)],
  }
}

/** Manages it, or changes its hours; fields that `body` leaves out stay. */
export function hours(workload: Workload, body: object, model: Model): Action {
  const { namespace, type, name, enabled } = workload
  return {
    title: `${enabled ? 'Hours of' : 'Manage'} ${namespace}/${name}`,
    not: enabled ? 'Hours not changed' : 'Not managed',
    about: { namespace, type, name },
    calls: [request(model.pathOf(workload), enabled ? 'PUT schedule' : 'POST enable', '', body)],
  }
}
