import { A_FLAG, effectiveSettings, faultAt, type Effective } from './policy/effective.ts'
import { SETTING_NAMES, type SettingName, type Source } from './policy/settings.ts'
import type { Rules } from './rules.ts'
import { InvalidTimezone, type Schedule } from './schedule/schedule.ts'
import { InvalidSchedule } from './schedule/syntax.ts'
import { decodeState, Unreadable } from './state-codec.ts'
import { EMPTY_STATE, type State, type StoredState } from './state.ts'
import {
  ANNOTATION,
  hasSleepMark,
  isRunning,
  labelCount,
  type AnnotationName,
  type Kind,
  type Workload,
} from './workload.ts'

/** A workload and what its annotations and marks mean. Never changed in place. */
export interface Reading {
  readonly workload: Workload
  /** `unclear`: what stands nearest is neither true nor false, so nothing is done. */
  readonly enabled: boolean | 'unclear'
  readonly zone: string
  readonly schedule: Schedule | undefined
  /** What is wrong with the schedule, its zone or `auto-wake`; undefined: nothing, or there is no schedule. */
  readonly scheduleFault: string | undefined
  /** Where that fault stands. */
  readonly scheduleFaultAt: Source | null
  /** The names of calendars; undefined: none. */
  readonly calendar: string | undefined
  /** Whether the schedule wakes what it put to sleep. */
  readonly autoWake: boolean
  /** The settings as they were found, and where. */
  readonly effective: Effective
  /** Whether its Namespace is known, and not terminating: before that nothing is decided. */
  readonly isSettled: boolean
  readonly state: State
  /** The state that the annotation holds: where `state` is another object, it is to be written. undefined: none. */
  readonly written: State | undefined
}

/** Reads a workload's annotations, label and key. Unreadable: its state is broken, or gone while a mark says asleep. */
export function readWorkload(workload: Workload, rules: Rules): Reading | Unreadable {
  const stored = storedState(workload)
  if (stored instanceof Unreadable) return stored
  const written = stored?.kind === workload.kind ? stored : undefined
  if (!written && hasSleepMark(workload)) {
    return new Unreadable('it is gone, and a mark says that the workload sleeps')
  }
  const state = written ? correctedByMarks(workload, written) : EMPTY_STATE
  return { workload, ...readSettings(workload, rules), state, written }
}

/** The workload as its label, key and count alone describe it: a repair starts from it. */
export function readWithoutState(workload: Workload, rules: Rules): Reading {
  const asleep = hasSleepMark(workload) && !isRunning(workload)
  const state = asleep ? correctedByMarks(workload, { ...EMPTY_STATE, asleep }) : EMPTY_STATE
  return { workload, ...readSettings(workload, rules), state, written: undefined }
}

/** The state that the annotation holds; undefined: none, none that can be read, or one written for another kind. */
export function stateOf(workload: Workload): State | undefined {
  const stored = storedState(workload)
  return stored && !(stored instanceof Unreadable) && stored.kind === workload.kind ? stored : undefined
}

/** The kind that the state was written for; undefined: there is no state, or none that can be read. */
export function kindOfState(workload: Workload): Kind | undefined {
  const stored = storedState(workload)
  return stored instanceof Unreadable ? undefined : stored?.kind
}

function storedState({ annotations: { state } }: Workload): StoredState | Unreadable | undefined {
  return state === undefined ? undefined : decodeState(state)
}

export function withState(reading: Reading, state: State): Reading {
  return { ...reading, state }
}

/** The reading with other settings of its own; null removes one, so that it is inherited. */
export function withAnnotations(
  reading: Reading,
  changed: Partial<Record<SettingName, string | null>>,
  rules: Rules,
): Reading {
  const annotations: Partial<Record<AnnotationName, string>> = { ...reading.workload.annotations }
  for (const name of SETTING_NAMES) {
    const value = changed[name]
    if (value === null) delete annotations[name]
    else if (value !== undefined) annotations[name] = value
  }
  const workload = { ...reading.workload, annotations }
  return { ...reading, workload, ...settingsOf(workload, rules) }
}

/**
 * Corrects the state by label, key and count: they survive `kubectl rollout undo`, which puts an old state back. A
 * running workload is asleep only if state and marks say so, any other if either does.
 */
function correctedByMarks(workload: Workload, state: State): State {
  const count = labelCount(workload)
  const asleep = isRunning(workload)
    ? state.asleep && hasSleepMark(workload)
    : state.asleep || workload.snoozeKey !== undefined || count !== undefined
  if (!asleep) return state.asleep ? { ...state, asleep } : state
  const kept = count ?? state.snoozed?.replicas ?? 0
  if (state.asleep && state.snoozed?.replicas === kept) return state
  const snoozed = state.snoozed ?? { at: workload.createdAt, trigger: 'recovery' as const, by: null }
  return { ...state, asleep, snoozed: { ...snoozed, replicas: kept } }
}

type Settings = Pick<
  Reading,
  | 'enabled'
  | 'zone'
  | 'schedule'
  | 'scheduleFault'
  | 'scheduleFaultAt'
  | 'calendar'
  | 'autoWake'
  | 'effective'
  | 'isSettled'
>

/** A ReplicaSet that outlived its Deployment carries copies of its annotations: `enabled` among them is ignored. */
function readSettings(workload: Workload, rules: Rules): Settings {
  const settings = settingsOf(workload, rules)
  return isCopy(workload) ? { ...settings, enabled: false } : settings
}

/** Whether it is managed, without reading more than that. */
export function isManaged(workload: Workload, rules: Rules): boolean {
  const { enabled } = workload.annotations
  if (enabled !== undefined) return enabled === 'true'
  return rules.inherited(workload)?.settings.enabled?.text === 'true'
}

function isCopy(workload: Workload): boolean {
  if (workload.kind !== 'replicasets') return false
  const kind = kindOfState(workload)
  if (kind !== undefined) return kind !== workload.kind
  return workload.formerRevision && workload.annotations.state === undefined
}

function settingsOf(workload: Workload, rules: Rules): Settings {
  const inherited = rules.inherited(workload)
  const effective = effectiveSettings(workload.annotations, inherited, rules.policy)
  const { enabled, calendar, autoWake } = effective
  return {
    enabled,
    zone: effective.timezone,
    ...compiled(effective, rules),
    calendar,
    autoWake: autoWake !== false,
    effective,
    isSettled: inherited !== undefined,
  }
}

function compiled(
  { schedule, timezone, autoWake, sources }: Effective,
  rules: Rules,
): Pick<Reading, 'schedule' | 'scheduleFault' | 'scheduleFaultAt'> {
  const none = { schedule: undefined, scheduleFault: undefined, scheduleFaultAt: null }
  if (schedule === undefined) return none
  const invalid = (name: 'schedule' | 'timezone' | 'autoWake', message: string) => ({
    ...none,
    scheduleFault: faultAt(ANNOTATION[name], sources[name], message),
    scheduleFaultAt: sources[name],
  })
  if (autoWake === 'unclear') return invalid('autoWake', A_FLAG)
  try {
    return { ...none, schedule: rules.compile(schedule, timezone) }
  } catch (error) {
    if (!(error instanceof InvalidSchedule)) throw error
    return invalid(error instanceof InvalidTimezone ? 'timezone' : 'schedule', error.message)
  }
}
