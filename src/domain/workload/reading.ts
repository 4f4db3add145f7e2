import { formOf } from '../sleeping/forms.ts'
import type { ReadingRules } from './settings-rules.ts'
import { settingsOf, type Settings } from './settings.ts'
import { SETTING_NAMES, type SettingName } from '../inheritable.ts'
import { decodeState, LAST_COUNTER, Unreadable, withoutUnknown } from './state-codec.ts'
import { EMPTY_STATE, restOf, withRest, type Snoozed, type State, type StoredState } from './state.ts'
import type { Keyring, Trust } from './tag.ts'
import {
  ASLEEP_LABEL,
  FIELD_MANAGER,
  looksAsleep,
  MAX_REPLICAS,
  type AnnotationName,
  type Kind,
  type Workload,
} from './workload.ts'

/** A workload with the meaning of its annotations and marks. Never changed in place. */
export interface Reading extends Settings {
  readonly workload: Workload
  readonly state: State
  /** The state in the annotations: if `state` is another object, it has to be written. undefined: none. */
  readonly written: State | undefined
  /** How far the stored state counts; absent: whole. */
  readonly trust?: Trust
  /** The keys that it was read by, and that sign what is written; absent: none. */
  readonly keyring?: Keyring
}

/** Whether it sleeps, as its sleep left it: nobody has woken it since. */
export function isAtRest({ state, workload }: Pick<Reading, 'state' | 'workload'>): boolean {
  return state.asleep && looksAsleep(workload, restOf(state))
}

/** The count that its settings let it sleep with, at most; 0 where its form has none. */
export function floorOf({ workload, asleepReplicas }: Pick<Reading, 'workload' | 'asleepReplicas'>): number {
  return formOf(workload).scales ? asleepReplicas : 0
}

/** The kept count that the label holds; undefined: no label, or one that is no count. */
export function labelCount(workload: Workload): number | undefined {
  const value = workload.labels?.[ASLEEP_LABEL]
  const count = value !== undefined && /^\d{1,10}$/.test(value) ? Number(value) : undefined
  return count !== undefined && count <= MAX_REPLICAS ? count : undefined
}

/** Whether a mark of sleep that survives lost annotations is there: the label, or a DaemonSet's key. */
export function hasSleepMark(workload: Workload): boolean {
  return workload.labels?.[ASLEEP_LABEL] !== undefined || workload.snoozeKey !== undefined
}

/**
 * Whether our own write set this count, no label says that it sleeps, and it is lower than `before`: an admission webhook
 * dropped our marks from that very write, since one patch sets both. Without a copy from before, only 0 tells.
 */
export function isUnmarkedSleep(workload: Workload, before = 1): boolean {
  const { replicas, replicasManager, labels } = workload
  const isOurs = replicasManager?.manager === FIELD_MANAGER && replicasManager.subresource === undefined
  const isLower = formOf(workload).countInSpec && replicas < before
  return isOurs && isLower && labels?.[ASLEEP_LABEL] === undefined
}

/**
 * Reads a workload's annotations, label and key. Unreadable: its state is broken, or gone although it was put to sleep.
 * `earlier`: another reading; one of this very copy has its state, whatever the rules are now.
 */
export function readWorkload(
  workload: Workload,
  rules: ReadingRules,
  earlier?: Reading,
): Reading | Unreadable {
  const signing = keyringOf(rules)
  if (earlier?.workload === workload && earlier.written && earlier.keyring === signing.keyring) {
    const { state, written, trust } = earlier
    return { workload, ...readSettings(workload, rules), state, written, ...(trust && { trust }), ...signing }
  }
  const stored = storedState(workload)
  if (stored instanceof Unreadable) return stored
  const settings = readSettings(workload, rules)
  const floor = floorOf({ workload, ...settings })
  // KEDA keeps a workload that wakes at the 0 that we have set.
  if (!stored && isUnmarkedSleep(workload) && !isScaledByKeda(workload, rules)) {
    return new Unreadable(
      'it is gone, and so is the count that it kept: Dormouse set it to 0, and something dropped its annotations and label',
    )
  }
  const isOwn = stored?.kind === workload.kind
  const trust = isOwn ? signing.keyring?.trustIn(workload) : undefined
  const written = isOwn ? believed(stored, workload, trust, floor) : undefined
  if (!stored && hasSleepMark(workload)) {
    return new Unreadable('it is gone, and a mark says that the workload sleeps')
  }
  // A state of another kind came with a copied manifest; the label still has the count, so it can wake.
  const state = written ? correctedByMarks(workload, written, floor) : stateByMarks(workload, floor)
  return { workload, ...settings, state, written, ...(trust && { trust }), ...signing }
}

/** The workload as its label, key and count alone describe it: a repair starts from it. */
export function readWithoutState(workload: Workload, rules: ReadingRules): Reading {
  const settings = readSettings(workload, rules)
  const state = stateByMarks(workload, floorOf({ workload, ...settings }))
  return { workload, ...settings, state, written: undefined, ...keyringOf(rules) }
}

function keyringOf(rules: Signing): Pick<Reading, 'keyring'> {
  const keyring = rules.keyring?.()
  return keyring ? { keyring } : {}
}

function stateByMarks(workload: Workload, floor: number): State {
  if (isUnmarkedSleep(workload)) return { ...EMPTY_STATE, asleep: true, snoozed: asleepWith(1, workload) }
  const asleep = hasSleepMark(workload) && looksAsleep(workload, Math.min(floor, labelCount(workload) ?? 0))
  return asleep ? correctedByMarks(workload, { ...EMPTY_STATE, asleep }, floor) : EMPTY_STATE
}

type Signing = Pick<ReadingRules, 'keyring'>

/**
 * The state that the annotations hold, as far as it counts; undefined: none, none that can be read, or one written for
 * another kind.
 */
export function stateOf(workload: Workload, rules: Signing): State | undefined {
  const stored = storedState(workload)
  if (!stored || stored instanceof Unreadable || stored.kind !== workload.kind) return undefined
  return believed(stored, workload, rules.keyring?.()?.trustIn(workload))
}

/** How far the state that the annotations hold counts; undefined: whole, or there is none to judge. */
export function trustIn(workload: Workload, rules: Signing): Trust | undefined {
  const isOwn = kindOfState(workload) === workload.kind
  return isOwn ? rules.keyring?.()?.trustIn(workload) : undefined
}

/**
 * A counter that nobody has signed goes on from where it stands, so that copies of older signed states stay old; but it
 * leaves the later ones room.
 */
const HIGHEST_UNSIGNED = Math.floor(LAST_COUNTER / 2)

/** The part of a stored state that counts. */
function believed(stored: StoredState, workload: Workload, trust: Trust | undefined, floor = 0): StoredState {
  if (trust === undefined || trust === 'renew') return stored
  const { unreadHistory: _, ...state } = stored
  if (trust === 'no-history') return { ...state, history: [] }
  const counter = Math.min(stored.counter, HIGHEST_UNSIGNED)
  return { ...countAlone(stored, workload, floor), kind: stored.kind, counter }
}

/**
 * All that counts of a state which Dormouse has not signed for this workload: its kept count, or that of the label, so
 * that a sleeper wakes to it. One that runs with more than `floor`, what its settings let it sleep with, is awake,
 * whatever such a state says.
 */
export function countAlone(state: StoredState | State, workload: Workload, floor: number): State {
  const { asleep, snoozed, woken } = withoutUnknown(state)
  const replicas = labelCount(workload) ?? snoozed?.replicas ?? 0
  const sleeps = asleep && looksAsleep(workload, Math.min(floor, replicas))
  return {
    ...EMPTY_STATE,
    asleep: sleeps,
    ...(sleeps && snoozed ? { snoozed: withRest({ ...snoozed, by: null, replicas }, floor) } : {}),
    // After a manual wake to fewer this is the kept count.
    ...(woken?.kept === undefined ? {} : { woken }),
  }
}

/** Whether anything but the count is lost where the state does not count whole. */
export function losesMore(workload: Workload, { state }: Pick<Reading, 'state'>): boolean {
  const stored = storedState(workload)
  if (!stored || stored instanceof Unreadable) return false
  const { counter: _counter, kind: _kind, ...parts } = stored
  const kept = new Set(['asleep', 'snoozed', 'woken', 'history'])
  const others = Object.keys(parts).some((name) => !kept.has(name))
  return others || stored.history.length > 0 || stored.asleep !== state.asleep || stored.snoozed?.by != null
}

/** The kind that the state was written for; undefined: there is no state, or none that can be read. */
export function kindOfState(workload: Workload): Kind | undefined {
  const stored = storedState(workload)
  return stored instanceof Unreadable ? undefined : stored?.kind
}

function storedState({ annotations }: Workload): StoredState | Unreadable | undefined {
  const { state, history } = annotations
  return state === undefined ? undefined : decodeState(state, history)
}

export function withState(reading: Reading, state: State): Reading {
  return { ...reading, state }
}

/** The reading with other own settings; null removes one, so that it is inherited. */
export function withAnnotations(
  reading: Reading,
  changed: Partial<Record<SettingName, string | null>>,
  rules: ReadingRules,
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
 * Whether a missing label proves nothing: an operator that scales its StatefulSet back may drop the label with that write,
 * and no rollback brings back the annotations of one.
 */
function isWrittenAnew({ kind, owner }: Workload): boolean {
  return kind === 'statefulsets' && owner !== undefined
}

/**
 * Corrects the state by label, key and count, which survive `kubectl rollout undo` when it restores an old state. A
 * workload without pods is asleep if the state or the marks say so; one that runs if both do, or if its label does and
 * it has no more than `floor`, what its settings let it sleep with, or if the state does and its operator may have
 * dropped the label.
 */
function correctedByMarks(workload: Workload, state: State, floor: number): State {
  const count = labelCount(workload)
  const counted = count ?? state.snoozed?.replicas ?? 0
  const kept = Math.min(counted, formOf(workload).most)
  const isAtFloor = count !== undefined && looksAsleep(workload, Math.min(floor, kept))
  const asleep = looksAsleep(workload, 0)
    ? state.asleep || workload.snoozeKey !== undefined || count !== undefined
    : hasSleepMark(workload)
      ? state.asleep || isAtFloor
      : state.asleep && isWrittenAnew(workload)
  if (!asleep) return state.asleep ? { ...state, asleep } : state
  if (state.asleep && state.snoozed?.replicas === kept) return state
  const snoozed = { ...(state.snoozed ?? asleepWith(kept, workload)), replicas: kept }
  const isKnown = state.asleep && state.snoozed !== undefined
  return { ...state, asleep, snoozed: isKnown ? snoozed : withRest(snoozed, floor) }
}

/** A sleep of which nothing but its count is known. */
function asleepWith(replicas: number, { createdAt }: Workload): Snoozed {
  return { at: createdAt, trigger: 'recovery', by: null, replicas }
}

/** Whether KEDA scales it: one ScaledObject does, as KEDA wants it; none where there is no KEDA. */
export function isScaledByKeda(workload: Workload, rules: ReadingRules): boolean {
  return rules.scaledObjects?.(workload).some(({ deleting }) => !deleting) ?? false
}

/** A ReplicaSet that outlived its Deployment carries copies of its annotations: `enabled` among them is ignored. */
function readSettings(workload: Workload, rules: ReadingRules): Settings {
  return isCopy(workload) ? { ...settingsOf(workload, rules), enabled: false } : settingsOf(workload, rules)
}

function isCopy(workload: Workload): boolean {
  if (workload.kind !== 'replicasets') return false
  const kind = kindOfState(workload)
  if (kind !== undefined) return kind !== workload.kind
  return workload.formerRevision && workload.annotations.state === undefined
}
