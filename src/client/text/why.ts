import { ofSource } from '../../domain/policy/settings.ts'
import { causeOfTrigger, howOfTrigger } from '../../domain/workload/trigger.ts'
import { counted } from '../../domain/text.ts'
import { withoutPrefixes } from '../../domain/workload/author.ts'
import type { StatusRecord } from '../../domain/records/record.ts'
import type { WorkloadKey } from '../../domain/workload/workload.ts'
import { missingPods, missingWhat, progressText } from '../../words/pods.ts'
import type { Found } from '../ports.ts'
import { oneLine } from '../safe-output.ts'
import { age } from '../times.ts'
import { advised, command, type Advice } from './advice.ts'
import type { Paint } from './colour.ts'
import { shortTime, worded, type LocalTimes } from './local-time.ts'
import { isBroken, isUnknown } from '../../words/state.ts'
import { colourOf, hasUnknownHours, stateOf } from './state.ts'

/** Options of the texts. */
export interface Style {
  readonly times: LocalTimes
  readonly advice: Advice
  readonly paint: Paint
  /** Characters of a line of a table; undefined: nobody reads it on a terminal. */
  readonly width: number | undefined
}

/** Why a workload is as it is, as the person reads it: in their own time, with the command that ends it. */
export function reasonText({ kind, record }: Found, { advice, times }: Style): string {
  return worded(advised(record, keyOfFound({ kind, record }), advice), times, record.timezone)
}

export function keyOfFound({ kind, record: { namespace, name } }: Found): WorkloadKey {
  return { kind, namespace, name }
}

/** The answer to "why is it like that?", in at most ten lines: state, rule, who, since when, next transition, commands. */
export function whyText(found: Found, style: Style): string {
  const { record } = found
  const missing = missingPods(record)
  const lines = [
    headline(found, style),
    ...(missing === undefined ? [] : [labelled(missingWhat(record), missing)]),
    labelled('because', becauseOf(record, style)),
    ...byWhom(record),
    ...sinceWhen(record, style.times),
    labelled('next', nextOf(record, style)),
    ...changes(found, style).map(([what, typed]) => labelled(what, typed)),
  ]
  return `${lines.join('\n')}\n`
}

/** The longest label is `to follow its hours`. */
function labelled(label: string, text: string): string {
  return `  ${label.padEnd(23)}${oneLine(text)}`
}

/** `deployment shop/web is asleep: 0 of 3 replicas run`; behind `dev: ` where clusters are named. */
export function headline(
  { record, cluster, clusterName = cluster }: Found,
  { paint }: Pick<Style, 'paint'>,
): string {
  const state = stateOf(record)
  const word = paint(colourOf(state), state === 'unmanaged' ? 'not managed by Dormouse' : WORDS[state])
  const { type, namespace, name, is_snoozed: asleep, current_replicas: current } = record
  const rest = asleep && current > 0 ? ` at ${counted(current, 'replica')}` : ''
  const text = progressText(record)
  const progress = text === undefined ? '' : `: ${text}`
  const where = clusterName === undefined ? '' : `${clusterName}: `
  return `${where}${type} ${namespace}/${name} is ${word}${rest}${progress}`
}

const WORDS = {
  asleep: 'asleep',
  awake: 'awake',
  waking: 'waking',
  falling_asleep: 'falling asleep',
  late: 'late',
  unknown: 'perhaps managed by Dormouse',
  invalid: 'in a state that cannot be read',
}

function becauseOf(record: StatusRecord, { times }: Style): string {
  if (!record.enabled && !isBroken(record) && !isUnknown(record))
    return record.policy.enabled.source === null
      ? 'nothing enables it'
      : `dormouse.dev/enabled${ofSource(record.policy.enabled.source)} turns it off`
  return worded(record.reason, times, record.timezone)
}

/** The latest operation, where it led to the present state. */
function byWhom(record: StatusRecord): string[] {
  const [latest] = record.operation_history
  if (!latest || (latest.type === 'snooze') !== record.is_snoozed || !record.enabled) return []
  const who =
    latest.by === null ? `Dormouse itself (${causeOfTrigger(latest.trigger)})` : withoutPrefixes(latest.by)
  const failed = latest.result === 'succeeded' || latest.result === 'running' ? '' : `; it ${latest.result}`
  const how = latest.by === null ? '' : howOfTrigger(latest.trigger)
  return [
    labelled(
      `${latest.type === 'snooze' ? 'put to sleep' : 'woken'} by`,
      `${who}${how}${failed.replace('_', ' ')}`,
    ),
  ]
}

function sinceWhen(record: StatusRecord, times: LocalTimes): string[] {
  const since = record.is_snoozed ? record.snoozed_at : record.woken_at
  if (since === null || !record.enabled) return []
  const at = Date.parse(since)
  return [labelled('since', `${shortTime(at, times)} (${age(times.now - at)} ago)`)]
}

function nextOf(record: StatusRecord, { times }: Style): string {
  const { next_transition: next, pin_state: pin, timezone } = record
  if (isUnknown(record)) return 'unknown'
  if (next === null && pin !== 'none') return 'nothing, while it is pinned'
  if (next === null) return hasUnknownHours(record) ? 'unknown' : 'nothing by itself'
  const at = Date.parse(next.at)
  const what = next.type === 'wake' ? 'it wakes' : 'it is put to sleep'
  return `${what} ${shortTime(at, times)} (in ${age(at - times.now)}${there(at, timezone, times)})`
}

/** `; 8:00 in Asia/Tokyo`, where the clocks of its zone show another time than the reader's. */
function there(at: number, zone: string | null, times: LocalTimes): string {
  if (zone === null) return ''
  const text = shortTime(at, { ...times, zone })
  return text === shortTime(at, times) ? '' : `; ${text} in ${zone}`
}

/** Up to four commands, each with its purpose. */
function changes({ kind, record }: Found, { advice, times }: Style): [what: string, typed: string][] {
  const key = { kind, namespace: record.namespace, name: record.name }
  const typed = (verb: string, rest = '') => command(advice, verb, key, rest)
  if (isBroken(record)) return [['to repair it', typed('enable')]]
  if (isUnknown(record)) return [['to ask the service', typed('snooze', '--dry-run')]]
  if (!record.enabled && record.remedy?.query['inherit'] === 'true')
    return [['to manage it again', typed('enable', '--inherit')]]
  // Without one, `enable` follows the hours that it has kept.
  const hours = record.wake_schedule === null ? '--schedule 8:00-18:00,Mon-Fri' : ''
  if (!record.enabled) return [['to manage it', typed('enable', hours)]]
  if (record.pin_state !== 'none') return [['to let it go', typed('unpin')]]
  const resume: [string, string][] = record.has_manual_override
    ? [['to follow its hours', typed('resume')]]
    : []
  if (record.is_snoozed) return [['to run it for 4 hours', typed('wake', '--for 4h')], ...resume]
  const longer = awakeLonger(record, times)
  const keep: [string, string][] = longer ? [['to keep it awake', typed('wake', longer)]] : []
  return [...keep, ['to put it to sleep', typed('snooze', isRefused(record) ? '--force' : '')], ...resume]
}

const FOUR_HOURS = 4 * 60 * 60_000
/** Milliseconds ahead in which a weekday and a time are enough for `--until`. */
const NAMED_BY_WEEKDAY = 5 * 24 * 60 * 60_000

/** The option of a wake that ends later than it would sleep; undefined: a request keeps it awake, or nothing ends it. */
function awakeLonger(record: StatusRecord, times: LocalTimes): string | undefined {
  const { wake_requested: asked, next_transition: next } = record
  if (next === null) return hasUnknownHours(record) ? '--for 4h' : undefined
  const sleeps = Date.parse(next.at)
  if (sleeps < times.now + FOUR_HOURS) return '--for 4h'
  return asked || sleeps > times.now + NAMED_BY_WEEKDAY
    ? undefined
    : `--until '${shortTime(sleeps + FOUR_HOURS, times)}'`
}

/** Whether a snooze would be refused for now; after a refusal by the cluster it may be tried again. */
function isRefused({ in_backoff_period: rests, reason_values: { cause } }: StatusRecord): boolean {
  return rests && cause !== 'failure'
}
