import { isEmpty, type Change } from './patch.ts'
import type { Rules } from './rules.ts'
import { InvalidTimezone, type Schedule } from './schedule/schedule.ts'
import { InvalidSchedule } from './schedule/syntax.ts'
import { decodeState, encodeState, UnreadableState } from './state-codec.ts'
import { EMPTY_STATE, type State } from './state.ts'
import {
  ANNOTATION_NAMES,
  ANNOTATION,
  ASLEEP_LABEL,
  hasSleepMark,
  isRunning,
  labelCount,
  type AnnotationName,
  type Workload,
} from './workload.ts'

/** A workload with what its annotations say, understood. Never changed in place. */
export interface Reading {
  readonly workload: Workload
  /** `unclear`: the annotation is neither true nor false, so nothing is done. */
  readonly enabled: boolean | 'unclear'
  readonly zone: string
  readonly schedule: Schedule | undefined
  /** Why there is no schedule although one was asked for. */
  readonly scheduleFault: string | undefined
  readonly state: State
  /** The state as the annotation has it, before the marks had their say; undefined: there is none. */
  readonly written: State | undefined
}

/**
 * Understands a workload's annotations and marks.
 * @throws UnreadableState when the state is broken, or gone while a mark of sleep is there
 */
export function readWorkload(workload: Workload, rules: Rules): Reading {
  const { annotations } = workload
  const text = annotations.state
  if (text === undefined && hasSleepMark(workload)) {
    throw new UnreadableState('it is gone, and a mark says that the workload sleeps')
  }
  const written = text === undefined ? undefined : decodeState(text)
  const state = written ? heedMarks(workload, written) : EMPTY_STATE
  return { workload, ...readEnabled(annotations.enabled), ...readSchedule(workload, rules), state, written }
}

/** As `readWorkload`; undefined: its state cannot be read. */
export function readableWorkload(workload: Workload, rules: Rules): Reading | undefined {
  try {
    return readWorkload(workload, rules)
  } catch (error) {
    if (error instanceof UnreadableState) return undefined
    throw error
  }
}

/** What the workload would be without a state: the ground that a repair builds on. */
export function readWithoutState(workload: Workload, rules: Rules): Reading {
  const state = heedMarks(workload, {
    ...EMPTY_STATE,
    asleep: hasSleepMark(workload) && !isRunning(workload),
  })
  return {
    workload,
    ...readEnabled(workload.annotations.enabled),
    ...readSchedule(workload, rules),
    state,
    written: undefined,
  }
}

export function withState(reading: Reading, state: State): Reading {
  return { ...reading, state }
}

/** The reading with other annotations of people's; null takes one away. */
export function withAnnotations(
  reading: Reading,
  changed: Partial<Record<'enabled' | 'schedule' | 'timezone', string | null>>,
  rules: Rules,
): Reading {
  const annotations: Partial<Record<AnnotationName, string>> = { ...reading.workload.annotations }
  for (const name of ['enabled', 'schedule', 'timezone'] as const) {
    const value = changed[name]
    if (value === null) delete annotations[name]
    else if (value !== undefined) annotations[name] = value
  }
  const workload = { ...reading.workload, annotations }
  return { ...reading, workload, ...readEnabled(annotations.enabled), ...readSchedule(workload, rules) }
}

/** The count that a sleeper wakes to. */
export function keptCount({ state, workload }: Reading): number {
  return state.snoozed?.replicas ?? workload.replicas
}

/** The count that it would run with: its own if it runs already. */
export function countToWake(reading: Reading): number {
  return isRunning(reading.workload) ? reading.workload.replicas : keptCount(reading)
}

/** The count to keep when going to sleep; a DaemonSet's that its controller has not counted yet stays what it was. */
export function countToKeep(reading: Reading): number {
  const { workload } = reading
  const uncounted = workload.kind === 'daemonsets' && workload.pods.observedGeneration < workload.generation
  return uncounted ? keptCount(reading) : workload.replicas
}

/** All that differs between what a workload is and what it is to be; undefined: nothing. */
export function changeBetween(workload: Workload, target: Reading): Change | undefined {
  const annotations: Partial<Record<AnnotationName, string | null>> = {}
  for (const name of ANNOTATION_NAMES) {
    const value = target.workload.annotations[name]
    if (value !== workload.annotations[name]) annotations[name] = value ?? null
  }
  const { state, written = EMPTY_STATE } = target
  if (state !== written) annotations.state = encodeState({ ...state, counter: state.counter + 1 })
  const label = state.asleep ? String(keptCount(target)) : null
  const { replicas, snoozeKey } = target.workload
  const change: Change = {
    annotations,
    ...(label === (workload.labels?.[ASLEEP_LABEL] ?? null) ? {} : { label }),
    ...(replicas === workload.replicas || workload.kind === 'daemonsets' ? {} : { replicas }),
    ...(snoozeKey === workload.snoozeKey ? {} : { snoozeKey }),
    ...(workload.ownReplicasEntry !== undefined && completesWake(written, state) ? { disown: true } : {}),
  }
  return isEmpty(change) ? undefined : change
}

/** The write that does so gives `f:replicas` back, so that a server-side applier may set it. */
function completesWake(before: State, { history: [newest] }: State): boolean {
  if (newest === before.history[0] || newest?.type !== 'wake') return false
  return newest.result === 'succeeded' || newest.result === 'timed_out'
}

/** The workload as it is once `change` is applied; its status is left as it was. */
export function changed(workload: Workload, change: Change): Workload {
  const annotations = apply(workload.annotations, change.annotations)
  const labels =
    change.label === undefined
      ? workload.labels
      : apply(workload.labels ?? {}, { [ASLEEP_LABEL]: change.label })
  const specChanges = change.replicas !== undefined || change.snoozeKey !== undefined
  return {
    ...workload,
    annotations,
    labels,
    hasAnnotations: workload.hasAnnotations || Object.keys(annotations).length > 0,
    hasNodeSelector: workload.hasNodeSelector || change.snoozeKey === true,
    snoozeKey: change.snoozeKey ?? workload.snoozeKey,
    replicas: change.replicas ?? workload.replicas,
    generation: workload.generation + (specChanges ? 1 : 0),
  }
}

function apply<K extends string>(
  map: Readonly<Partial<Record<K, string>>>,
  changes: Partial<Record<K, string | null>>,
) {
  const merged = { ...map, ...changes } as Partial<Record<K, string | null | undefined>>
  return Object.fromEntries(
    Object.entries(merged).filter(([, value]) => value !== null && value !== undefined),
  ) as Record<K, string>
}

/**
 * The marks outlive the annotations (`kubectl rollout undo` puts an old state back), so they win over the
 * state: marked, it sleeps unless both say otherwise; running without a mark, it is awake.
 */
function heedMarks(workload: Workload, state: State): State {
  const count = labelCount(workload)
  const asleep = isRunning(workload)
    ? state.asleep && hasSleepMark(workload)
    : state.asleep || workload.snoozeKey || count !== undefined
  if (!asleep) return state.asleep ? { ...state, asleep } : state
  const kept = count ?? state.snoozed?.replicas ?? 0
  if (state.asleep && state.snoozed?.replicas === kept) return state
  const snoozed = state.snoozed ?? { at: workload.createdAt, trigger: 'recovery' as const, by: null }
  return { ...state, asleep, snoozed: { ...snoozed, replicas: kept } }
}

function readEnabled(text: string | undefined): Pick<Reading, 'enabled'> {
  if (text === 'true') return { enabled: true }
  return { enabled: text === undefined || text === 'false' ? false : 'unclear' }
}

function readSchedule(
  { annotations }: Workload,
  rules: Rules,
): Pick<Reading, 'zone' | 'schedule' | 'scheduleFault'> {
  const zone = annotations.timezone || rules.policy.timezone
  const text = annotations.schedule
  const none = { zone, schedule: undefined, scheduleFault: undefined }
  if (text === undefined || text.trim() === '') return none
  try {
    return { ...none, schedule: rules.compile(text, zone) }
  } catch (error) {
    if (!(error instanceof InvalidSchedule)) throw error
    const at = error instanceof InvalidTimezone ? ANNOTATION.timezone : ANNOTATION.schedule
    return { ...none, scheduleFault: `${at}: ${error.message}` }
  }
}
