import type { Instant } from '../process/clock.ts'
import type { HistoryRecord, StatusRecord } from '../domain/records/record.ts'
import { textForPeople } from '../domain/workload/author.ts'
import { troubleText } from '../domain/workload/trouble.ts'
import { isKnown, TRIGGER, TRIGGERS } from '../domain/workload/trigger.ts'
import { hasUnknownHours } from './record.ts'

const HOLDS = { pin: 'pinned', override: 'schedule off', backoff: 'waiting' } as const

/** `asleep`, `pinned, awake`, `not managed`; the status colours it: amber and red where somebody should look. */
export function stateOf(record: StatusRecord): { readonly text: string; readonly status: string } {
  const { reason_code: code, held_by: holder, phase, late, enabled } = record
  if (code === 'invalid_state') return { text: 'needs repair', status: 'error' }
  const now = late ? 'late' : phase.replace('_', ' ')
  if (late) return { text: holder === null ? now : `${HOLDS[holder]}, ${now}`, status: 'error' }
  if (holder !== null)
    return { text: `${HOLDS[holder]}, ${now}`, status: holder === 'backoff' ? 'warning' : '' }
  return enabled
    ? { text: now, status: phase === 'awake' ? 'success' : '' }
    : { text: 'not managed', status: '' }
}

/** When it may change by itself, in ISO 8601; empty: never, or nobody can know here. */
export function nextAt(record: StatusRecord): string {
  const { until } = record.reason_values
  return String((hasUnknownHours(record) ? until : record.next_transition?.at) ?? '')
}

/** `wakes Tue 3 Mar 8:00`. */
export function nextOf(record: StatusRecord, now: Instant): string {
  const at = plain(nextAt(record), now)
  if (record.pin_state !== 'none') return 'nothing, while it is pinned'
  if (!record.enabled) return ''
  if (hasUnknownHours(record)) return at === '' ? 'not known here' : `its hours decide ${at}`
  if (at === '') return 'nothing by itself'
  return `${record.next_transition?.type === 'wake' ? 'wakes' : 'sleeps'} ${at}`
}

/** Why it is as it is, who asked, and until when; without the call that ends it: the buttons do that. */
export function whyOf(record: StatusRecord, now: Instant): string {
  if (record.reason_code === 'not_managed') return 'Dormouse leaves it alone'
  const missing = record.trouble ? `pods are missing: ${troubleText(record.trouble)}; ` : ''
  return `${missing}${explained(record, now)}`
}

function explained(record: StatusRecord, now: Instant): string {
  const isExplained = !hasUnknownHours(record) || typeof record.reason_values['by'] === 'string'
  if (isExplained) return plain(record.reason, now)
  return 'not all of its hours are on this object: its Namespace, a policy or the settings of Dormouse have the rest'
}

/** An operation by the columns of its table. */
export function operationOf({ type, replicas, by, trigger, timestamp, result }: HistoryRecord, now: Instant) {
  return {
    What: type === 'wake' ? `woken to ${replicas}` : 'put to sleep',
    Who: plain(by ?? 'Dormouse', now),
    Cause: isKnown(TRIGGERS, trigger) ? TRIGGER[trigger].name : trigger,
    When: plain(timestamp, now),
    Result: result.replace('_', ' '),
  }
}

const CLOCK = new Intl.DateTimeFormat('en-GB', { hour: 'numeric', minute: '2-digit' })
const DAY = new Intl.DateTimeFormat('en-GB', { weekday: 'short', day: 'numeric', month: 'short' })

/** A text with its times as the reader's own, `18:00` today, else `Mon 2 Mar 18:00`, and with names as people have them. */
export function plain(text: string, now: Instant): string {
  return textForPeople(text, (at) => {
    const day = DAY.format(at) === DAY.format(now) ? '' : `${DAY.format(at).replace(',', '')} `
    return day + CLOCK.format(at)
  })
}
