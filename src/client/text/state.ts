import type { StatusRecord } from '../../domain/records/record.ts'
import { withoutPrefixes } from '../../domain/workload/author.ts'
import { pinnedAs } from '../../domain/workload/explanation.ts'
import { PHASES } from '../../domain/workload/state.ts'
import { missingPods } from '../../words/pods.ts'
import { shortTime, worded, type LocalTimes } from './local-time.ts'
import { isBroken, isUnknown } from '../../words/state.ts'
import type { Colour } from './colour.ts'

/** A workload's state in one word, as tables have it: its phase, where that means anything, or that its wake is late. */
export const SHOWN = [...PHASES, 'late', 'unmanaged', 'unknown', 'invalid'] as const
export type Shown = (typeof SHOWN)[number]

const COLOURS: Readonly<Record<Shown, Colour | undefined>> = {
  asleep: 'blue',
  awake: 'green',
  waking: 'yellow',
  falling_asleep: 'yellow',
  late: 'red',
  unmanaged: 'dim',
  unknown: 'dim',
  invalid: 'red',
}

export function stateOf(record: StatusRecord): Shown {
  if (isBroken(record)) return 'invalid'
  if (isUnknown(record)) return 'unknown'
  if (!record.enabled && record.held_by === null) return 'unmanaged'
  return record.late ? 'late' : record.phase
}

export function colourOf(state: Shown): Colour | undefined {
  return COLOURS[state]
}

/** Why nobody can say here when it changes; undefined: it is known, if only that nothing comes. */
export function whyUnknown(record: StatusRecord): string | undefined {
  const { reason_values: values, pin_state: pin } = record
  const { hours_unknown: hours, fault } = values
  const why = isUnknown(record) ? (hours ?? fault) : pin === 'none' ? hours : undefined
  return typeof why === 'string' ? why : undefined
}

/** Whether it has hours only if something gives it some that cannot be read from here. */
export function hasUnknownHours({ policy: { schedule } }: StatusRecord): boolean {
  return schedule.source === 'policy/unknown'
}

/** The reason in short, for a column: why pods are missing, then the hold, the request, the schedule. */
export function shortReason(record: StatusRecord, times: LocalTimes): string {
  const missing = record.enabled || record.held_by !== null ? missingPods(record) : undefined
  const reason = reasonInShort(record, times)
  return missing === undefined ? reason : `${missing}; ${reason}`
}

function reasonInShort(record: StatusRecord, times: LocalTimes): string {
  const until = (iso: string | null) => (iso === null ? '' : ` until ${shortTime(Date.parse(iso), times)}`)
  if (isBroken(record)) return 'its state cannot be read'
  const { reason_code: code, reason_values: values, held_by: holder } = record
  const by = typeof values['by'] === 'string' ? ` by ${withoutPrefixes(values['by'])}` : ''
  if (isUnknown(record)) return String(values['fault'] ?? '')
  if (holder === 'pin') return `${pinnedAs(record.pin_state)}${code === 'pinned' ? by : ''}`
  if (holder === 'override') {
    const end = record.manual_override_until
    return `overridden${code === 'overridden' ? by : ''}${end === null ? ' for good' : until(end)}`
  }
  // The state says that nothing enables it.
  if (!record.enabled) return record.policy.enabled.source === null ? '-' : 'disabled'
  if (holder === 'backoff') {
    const why = typeof values['refusal'] === 'string' ? `: the cluster refused: ${values['refusal']}` : ''
    return `backoff${until(record.backoff_until)}${why}`
  }
  return worded(record.reason, times)
}

/** `wakes Mon 8:00`; `-` where nothing comes by itself. */
export function nextText(record: StatusRecord, times: LocalTimes): string {
  const { next_transition: next } = record
  if (next === null) return isUnknown(record) || hasUnknownHours(record) ? 'unknown' : '-'
  return `${next.type === 'wake' ? 'wakes' : 'sleeps'} ${shortTime(Date.parse(next.at), times)}`
}
