import type { Instant } from '../process/clock.ts'
import type { HistoryRecord, StatusRecord } from '../domain/records/record.ts'
import type { Follower } from '../domain/sleeping/follower.ts'
import { causeOfTrigger } from '../domain/workload/trigger.ts'
import { person, resultOf, whatOf } from '../words/operation.ts'
import { missingPods, missingWhat, podsCommand } from '../words/pods.ts'
import { reasonOf } from '../words/reason.ts'
import { hasUnknownHours, isTroubled, stateOf, stateText, type State } from '../words/state.ts'
import { localised } from '../words/time.ts'

/** Headlamp's colours: green, red and amber. */
const COLOURS: Readonly<Partial<Record<State, string>>> = {
  awake: 'success',
  late: 'error',
  invalid: 'error',
}

/** `asleep`, `pinned, awake`, `not managed`, in a colour that says where somebody should look. */
export function labelOf(record: StatusRecord): { readonly text: string; readonly status: string } {
  const state = stateOf(record)
  const isRest = state === 'awake' && record.operation_in_progress
  const colour = isRest ? '' : (COLOURS[state] ?? (isTroubled(record) ? 'warning' : ''))
  return { text: stateText(record).toLowerCase(), status: colour }
}

/** When it may change by itself, in ISO 8601; empty: never, or nobody can know here. */
export function nextAt(record: StatusRecord): string {
  const { until } = record.reason_values
  return String((hasUnknownHours(record) ? until : record.next_transition?.at) ?? '')
}

/** `wakes tomorrow, 8:00`. */
export function nextOf(record: StatusRecord, now: Instant): string {
  const at = localised(nextAt(record), now)
  if (record.pin_state !== 'none') return 'nothing, while it is pinned'
  if (!record.enabled) return ''
  if (hasUnknownHours(record)) return at === '' ? 'not known here' : `its hours decide ${at}`
  if (at === '') return 'nothing by itself'
  return `${record.next_transition?.type === 'wake' ? 'wakes' : 'sleeps'} ${at}`
}

/** Why it is as it is, who asked, until when, and what pods are missing or how to learn why. */
export function whyOf(record: StatusRecord, now: Instant): string {
  const [missing, command] = [missingPods(record), podsCommand(record)]
  const before = missing === undefined ? '' : `${missingWhat(record)}: ${missing}; `
  const behind = command === undefined ? '' : `; ${command} says what its pods say`
  return `${before}${explained(record, now)}${behind}`
}

function explained(record: StatusRecord, now: Instant): string {
  const isExplained = !hasUnknownHours(record) || typeof record.reason_values['by'] === 'string'
  if (isExplained) return reasonOf(record, now)
  return 'not all of its hours are on this object: its Namespace, a policy or the settings of Dormouse have the rest'
}

/** An operation by the columns of its table. */
export function operationOf(operation: HistoryRecord, by: Follower, now: Instant) {
  return {
    What: whatOf(operation, by),
    Who: person(operation.by),
    Cause: causeOfTrigger(operation.trigger),
    When: localised(operation.timestamp, now),
    Result: resultOf(operation, by),
  }
}
