import type { Instant } from '../../process/clock.ts'
import { byField, byForm } from '../inheritable.ts'
import { causeText, recentOperations } from '../deciding/backoff.ts'
import { decide } from '../deciding/decide.ts'
import { textBefore, type Reason } from '../deciding/decision.ts'
import { isLate, troubleOfPods } from '../deciding/late.ts'
import { desired } from '../deciding/desired.ts'
import { unknownHoursText } from '../deciding/hours.ts'
import { situationOf, type Situation } from '../deciding/situation.ts'
import type { ValueOf } from '../json-schema.ts'
import { typeOf } from '../kinds.ts'
import { delayed, nextTransition, type Transition } from '../deciding/foresight.ts'
import type { OPERATION, POLICY, STATUS, TRANSITION } from './shape.ts'
import {
  hasSleepMark,
  isAtRest,
  labelCount,
  readWithoutState,
  readWorkload,
  type Reading,
} from '../workload/reading.ts'
import { readOrRefuse, refuseOwned } from '../requests/refusals.ts'
import type { Rules } from '../deciding/rules.ts'
import { followerOf } from '../sleeping/forms.ts'
import { REPAIR, type Explanation } from '../workload/explanation.ts'
import { Unreadable } from '../workload/state-codec.ts'
import type { Settings } from '../workload/settings.ts'
import { operationInProgress, type Backoff, type Operation } from '../workload/state.ts'
import { iso as seconds } from '../text.ts'
import { releasedText } from '../deciding/released.ts'
import { waitCode, waitText, type OrderWait } from '../deciding/order.ts'
import { currentReplicas, type Workload } from '../workload/workload.ts'

/** An operation as the API shows it; `timestamp` in ISO 8601 UTC, `duration` in milliseconds (while running: so far). */
export type HistoryRecord = ValueOf<typeof OPERATION>

/** A coming change between awake and asleep as the API shows it; `at` in ISO 8601 UTC. */
export type TransitionRecord = ValueOf<typeof TRANSITION>

/** A workload as the API shows it; every field always present. */
export type StatusRecord = ValueOf<typeof STATUS>

/** The settings in force with their sources; an invalid one is null, and the reason names its fault. */
export type PolicyRecord = ValueOf<typeof POLICY>

/** @throws Refusal INVALID_STATE, OWNED */
export function statusRecord(workload: Workload, now: Instant, rules: Rules): StatusRecord {
  refuseOwned(workload)
  return recordOf(readOrRefuse(workload, rules), now, rules)
}

/** As `statusRecord`, but never throws: an unreadable state is replaced by spec, label and key. */
export function listedRecord(workload: Workload, now: Instant, rules: Rules): StatusRecord {
  const reading = readWorkload(workload, rules)
  return reading instanceof Unreadable
    ? unreadableRecord(workload, reading, rules)
    : recordOf(reading, now, rules)
}

function recordOf(read: Reading, clock: Instant, rules: Rules): StatusRecord {
  const situation = situationOf(read, clock, rules)
  const { reading, now, workload, state, override, isHeld: held } = situation
  const managed = reading.enabled === true
  const backoff = managed ? situation.backoff : undefined
  const decision = decide(situation)
  const wait = rules.waitOf?.(workload, decision, now)
  const foreseen = managed ? nextTransition(reading, now, rules) : undefined
  const next = foreseen && delayed(foreseen, wait)
  const requested = managed ? requestInForce(situation) : undefined
  const isSnoozed = (managed || held) && state.asleep
  const isMoving = operationInProgress(state) !== undefined
  return {
    ...identity(workload),
    enabled: managed,
    current_replicas: currentReplicas(workload),
    last_replicas: state.snoozed ? situation.counts.kept : currentReplicas(workload),
    ready_replicas: workload.pods.ready,
    phase: isSnoozed ? (isMoving ? 'falling_asleep' : 'asleep') : isMoving ? 'waking' : 'awake',
    held_by: held ? (state.pin ? 'pin' : 'override') : backoff ? 'backoff' : null,
    is_snoozed: isSnoozed,
    snooze_requested: requested === 'asleep',
    wake_requested: requested === 'awake',
    snoozed_at: time(state.snoozed?.at),
    woken_at: time(state.woken?.at),
    wake_schedule: reading.schedule?.text ?? null,
    timezone: reading.zone,
    has_manual_override: held && override !== undefined,
    manual_override_until: held ? time(override?.until) : null,
    pin_state: held ? (state.pin?.state ?? 'none') : 'none',
    in_backoff_period: backoff !== undefined,
    backoff_until: time(backoff?.until),
    late: (managed || held) && isLate(reading),
    trouble: troubleOfPods(workload) ?? null,
    waits_for: followerOf(workload),
    operation_in_progress: isMoving,
    recent_operations: recentOperations(state, now, rules.policy.backoff.window),
    operation_history: state.history.map((operation) => historyRecord(operation, now)),
    next_transition: next ? transitionRecord(next) : null,
    policy: policyRecord(reading),
    ...(explainedByRelease(managed || held, rules) ?? explained(reading, decision.reason, wait, backoff)),
  }
}

/** For the workloads that Dormouse would otherwise move. */
function explainedByRelease(isOurs: boolean, rules: Rules): Explanation | undefined {
  const released = isOurs ? rules.released?.() : undefined
  if (!released) return undefined
  const { by, since = null } = released
  return {
    reason: releasedText(released),
    reason_code: 'released',
    reason_values: { by, since },
    remedy: null,
  }
}

/** The reason of its state, with a move's wait. A backoff that delays nothing yet refuses requests all the same. */
function explained(
  reading: Reading,
  reason: Reason,
  wait: OrderWait | undefined,
  backoff: Backoff | undefined,
): Explanation {
  const { code, values, remedy = null } = reason
  const text = wait ? waitText(wait, reason.text) : textBefore(reason)
  const { scheduleFault: fault, hoursUnknown } = reading
  const rests = backoff && code !== 'backoff' ? restText(backoff) : ''
  return {
    reason: `${withFault(reading, reason, text)}${rests}`,
    reason_code: wait ? waitCode(wait) : code,
    reason_values: {
      ...(wait ? { until: seconds(wait.until), workloads: wait.workloads } : values),
      ...(backoff && { cause: backoff.cause }),
      ...(backoff?.refusal !== undefined && { refusal: backoff.refusal }),
      ...(fault !== undefined && { fault }),
      ...(hoursUnknown !== undefined && { hours_unknown: hoursUnknown }),
    },
    remedy,
  }
}

function restText(backoff: Backoff): string {
  return `; in backoff until ${seconds(backoff.until)}: ${causeText(backoff)}`
}

export function transitionRecord({ at, type, reason }: Transition): TransitionRecord {
  return { at: iso(at), type, reason: reason.text }
}

function identity(workload: Workload): Pick<StatusRecord, 'name' | 'namespace' | 'type'> {
  return {
    name: workload.name,
    namespace: workload.namespace,
    type: workload.configured?.kind.toLowerCase() ?? typeOf(workload.kind),
  }
}

/** The API request in force; undefined: there is none. */
function requestInForce(situation: Situation) {
  const { intent } = situation
  if (intent?.trigger !== 'api') return undefined
  return desired(situation).byIntent && intent.want
}

/** The reason for people, with the schedule's fault appended, or why it is not known. */
export function reasonOf(reading: Reading, reason: Reason): string {
  return withFault(reading, reason, reason.text)
}

/** The text with the fault of the schedule, or why that is not known, unless the reason says that itself. */
function withFault({ scheduleFault, hoursUnknown }: Reading, { saysFault }: Reason, text: string): string {
  const fault = hoursUnknown === undefined ? scheduleFault : unknownHoursText(hoursUnknown)
  return fault === undefined || saysFault ? text : `${text}; ${fault}`
}

export function policyRecord({
  effective,
  schedule,
}: Pick<Settings, 'effective' | 'schedule'>): PolicyRecord {
  // In canonical form, and none that cannot be read.
  const values = { ...effective, schedule: schedule?.text }
  return byField<PolicyRecord>((name) => {
    const value = values[name] ?? null
    const isNone = value === 'unclear' && byForm(name, { flag: true, count: true, text: false })
    return { value: isNone ? null : value, source: effective.sources[name] }
  })
}

function historyRecord({ at, duration, ...operation }: Operation, now: Instant): HistoryRecord {
  const { type, trigger, replicas, by, result } = operation
  return {
    type,
    trigger,
    timestamp: iso(at),
    replicas,
    duration: duration ?? Math.max(0, now - at),
    by,
    result,
  }
}

function unreadableRecord(workload: Workload, { message, fault }: Unreadable, rules: Rules): StatusRecord {
  const reading = readWithoutState(workload, rules)
  const isSnoozed = hasSleepMark(workload) && isAtRest(reading)
  return {
    ...identity(workload),
    enabled: false,
    current_replicas: currentReplicas(workload),
    last_replicas: labelCount(workload) ?? currentReplicas(workload),
    ready_replicas: workload.pods.ready,
    phase: isSnoozed ? 'asleep' : 'awake',
    held_by: null,
    is_snoozed: isSnoozed,
    snooze_requested: false,
    wake_requested: false,
    snoozed_at: null,
    woken_at: null,
    wake_schedule: null,
    timezone: null,
    has_manual_override: false,
    manual_override_until: null,
    pin_state: 'none',
    in_backoff_period: false,
    backoff_until: null,
    late: false,
    trouble: troubleOfPods(workload) ?? null,
    waits_for: followerOf(workload),
    operation_in_progress: false,
    recent_operations: 0,
    operation_history: [],
    next_transition: null,
    policy: policyRecord(reading),
    reason: message,
    reason_code: 'invalid_state',
    reason_values: { fault },
    remedy: REPAIR,
  }
}

function time(instant: Instant | null | undefined): string | null {
  return instant === undefined || instant === null ? null : iso(instant)
}

/** ISO 8601 in UTC with milliseconds, for programs to compare. */
export function iso(instant: Instant): string {
  return new Date(instant).toISOString()
}
