import { withoutPrefixes } from '../../domain/workload/author.ts'
import type { StatusRecord } from '../../domain/records/record.ts'
import { ofSource } from '../../domain/policy/settings.ts'
import { followerOf, missingPods } from '../../words/pods.ts'
import type { Found } from '../ports.ts'
import { oneLine } from '../safe-output.ts'
import { age } from '../times.ts'
import { shortTime, type LocalTimes } from './local-time.ts'
import { isUnknown } from '../../words/state.ts'
import { hasUnknownHours, nextText } from './state.ts'
import { tableText } from './table.ts'
import { headline, reasonText, type Style } from './why.ts'

/** All that is known of one workload, with its history. */
export function statusText(found: Found, style: Style): string {
  const { record } = found
  const { times } = style
  const missing = missingPods(record)
  const rows: [string, string][] = [
    ...(missing === undefined ? [] : [missingRow(record, missing)]),
    ['Reason', reasonText(found, style)],
    ['Next', nextText(record, times)],
    ['Schedule', scheduleText(record)],
    ['Pinned', PINNED[record.pin_state]],
    ['Override', overrideText(record, times)],
  ]
  if (record.in_backoff_period && record.backoff_until !== null)
    rows.push(['Backoff', `until ${shortTime(Date.parse(record.backoff_until), times)}`])
  const lines = rows.map(([label, text]) => `  ${label.padEnd(10)}${oneLine(text)}`)
  return `${headline(found, style)}\n${lines.join('\n')}\n${historyText(record, style)}`
}

function missingRow(record: StatusRecord, missing: string): [string, string] {
  return followerOf(record) === 'operator'
    ? ['Operator', `not ready: ${missing}`]
    : ['Pods', `missing: ${missing}`]
}

const PINNED = { none: 'no', active: 'awake', snoozed: 'asleep' }

function scheduleText(record: StatusRecord): string {
  const { schedule, timezone, calendar } = record.policy
  if (isUnknown(record) || hasUnknownHours(record)) return 'unknown'
  if (schedule.value === null) return 'none'
  const named = calendar.value === null ? '' : `, calendar ${calendar.value}`
  return `${schedule.value} (${timezone.value ?? 'UTC'}${named})${ofSource(schedule.source)}`
}

function overrideText(
  { has_manual_override: overridden, manual_override_until: until }: StatusRecord,
  times: LocalTimes,
) {
  if (!overridden) return 'no'
  return until === null ? 'for good' : `until ${shortTime(Date.parse(until), times)}`
}

function historyText({ operation_history: history }: StatusRecord, { times, width }: Style): string {
  if (history.length === 0) return '  History   none yet\n'
  const rows = history.map(({ timestamp, type, trigger, by, replicas, result, duration }) => [
    shortTime(Date.parse(timestamp), times),
    type,
    trigger,
    by === null ? '-' : withoutPrefixes(by),
    String(replicas),
    result,
    age(duration),
  ])
  const header = ['WHEN', 'WHAT', 'TRIGGER', 'BY', 'REPLICAS', 'RESULT', 'TOOK']
  const [trigger, by, replicas, took] = [2, 3, 4, 6] as const
  const table = tableText(header, rows, {
    width,
    cut: [by],
    leave: [took, trigger, replicas],
    indent: '    ',
  })
  return `  History\n${table}`
}
