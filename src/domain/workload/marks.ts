import { hasSleepMark, isUnmarkedSleep, kindOfState, labelCount, stateOf, trustIn } from './reading.ts'
import { isManaged } from './settings.ts'
import type { ReadingRules } from './settings-rules.ts'
import { LAST_COUNTER } from './state-codec.ts'
import { EMPTY_STATE, heldBy } from './state.ts'
import {
  ANNOTATION_NAMES,
  ASLEEP_LABEL,
  isOlder,
  isRunning,
  HELD_LABEL,
  isOfState,
  OWN_LABELS,
  type AnnotationName,
  type OwnLabel,
  type Workload,
} from './workload.ts'

/** The annotations of ours in which two copies of a workload differ. */
export function differingAnnotations(a: Workload, b: Workload): AnnotationName[] {
  return ANNOTATION_NAMES.filter((name) => a.annotations[name] !== b.annotations[name])
}

/** Whether two copies have the same annotations and labels of ours and the same key. */
export function sameMarks(a: Workload, b: Workload): boolean {
  return differingAnnotations(a, b).length === 0 && sameLabels(a, b) && a.snoozeKey === b.snoozeKey
}

/** Whether two copies have the same labels of ours. */
export function sameLabels(a: Workload, b: Workload): boolean {
  return OWN_LABELS.every((key) => a.labels?.[key] === b.labels?.[key])
}

/**
 * Whether two copies of a workload read the same: most changes are of the status, and alter nothing here. A decision
 * also depends on who set the count, on the owner, on the labels, by which policies choose, and on whether the pods
 * followed.
 */
export function readsTheSame(a: Workload, b: Workload): boolean {
  return (
    sameMarks(a, b) &&
    a.replicas === b.replicas &&
    a.deleting === b.deleting &&
    a.deletesVolumes === b.deletesVolumes &&
    a.keptByOther === b.keptByOther &&
    a.formerRevision === b.formerRevision &&
    a.owner?.name === b.owner?.name &&
    sameTexts(a.labels, b.labels)
  )
}

function sameTexts(a: Workload['labels'], b: Workload['labels']): boolean {
  if (a === b) return true
  const entries = Object.entries(a ?? {})
  return entries.length === Object.keys(b ?? {}).length && entries.every(([key, text]) => b?.[key] === text)
}

/** The workload without a request; without one it is returned unchanged. */
export function withoutRequest(workload: Workload): Workload {
  if (workload.annotations.request === undefined) return workload
  const { request: _, ...annotations } = workload.annotations
  return { ...workload, annotations }
}

/** The newest copy of a workload whose marks were intact, and the counter of its state. */
export interface LastKnown {
  readonly counter: number
  readonly workload: Workload
}

/**
 * The workload with the annotations and labels that it should have, given its last known marks; the same object if none
 * has to be restored. Labels, count and key are not corrected here: reading the result does that. The counter only
 * grows, so a state with a lower one is an old copy; and one that does not count is nobody's.
 */
export function withMarksRestored(
  workload: Workload,
  known: LastKnown | undefined,
  rules: ReadingRules,
): Workload {
  // The informer sees an older version only where the cluster was restored from a backup: that is the truth then.
  if (!known || workload.deleting || isOlder(workload, known.workload)) return workload
  const trust = hasStateOf(known, workload) ? undefined : trustIn(workload, rules)
  if (trust === 'unclear') return workload
  const counter = counterOf(workload, known, rules)
  const isOldCopy = trust === 'count' || (counter !== undefined && isOldCounter(counter, known))
  const restored = marksRestored(workload, known.workload, isOldCopy, rules)
  return isOldCopy && sleptUnaware(workload, known.workload)
    ? withLabel(restored, ASLEEP_LABEL, workload.labels?.[ASLEEP_LABEL])
    : restored
}

/**
 * Whether a request put it to sleep while its marks were lost, so that its state seems old: the label of that sleep is
 * the only record of its count.
 */
function sleptUnaware(workload: Workload, known: Workload): boolean {
  const differs = workload.annotations.state !== known.annotations.state
  return differs && isRunning(known) && !isRunning(workload) && labelCount(workload) !== undefined
}

/**
 * The count of a workload that our own write put to sleep and whose marks were dropped from it; undefined: it is not so,
 * or nobody remembers the count. A write whose marks were stored has another state.
 */
export function lostCount(workload: Workload, known: LastKnown | undefined): number | undefined {
  const before = known?.workload
  if (!before || workload.deleting || isOlder(workload, before) || !isUnmarkedSleep(workload))
    return undefined
  const { state } = workload.annotations
  const isOfBefore = state === undefined || state === before.annotations.state
  return isOfBefore && isRunning(before) ? before.replicas : undefined
}

/** Whether a copy needs no mark restored, nor a count that the marks should have kept. */
export function isInOrder(workload: Workload, known: LastKnown | undefined, rules: ReadingRules): boolean {
  return withMarksRestored(workload, known, rules) === workload && lostCount(workload, known) === undefined
}

/**
 * Restores the marks of `known`, an earlier copy of the workload, after others destroyed them. Only this function
 * restores marks; controller and webhook both call it.
 * - `kubectl rollout undo` puts old annotations back: all are replaced. `isOldCopy`: whether `known` is the newer of
 * two copies whose state or history differs.
 * - `kubectl replace` drops annotations: absent ones come back.
 * - While the state is unchanged, changes of the other annotations are people's, and stay.
 */
export function marksRestored(
  workload: Workload,
  known: Workload,
  isOldCopy: boolean,
  rules: ReadingRules,
): Workload {
  const { state } = workload.annotations
  if (state === known.annotations.state)
    return withLabelsOf(isOldCopy ? withHistoryOf(workload, known) : workload, known, rules)
  if (state === undefined || isForeign(workload))
    return mayBeRemoved(known, rules)
      ? withLabelsOf(workload, known, rules)
      : withAnnotationsOf(workload, known, false, rules)
  return isOldCopy ? withAnnotationsOf(workload, known, true, rules) : workload
}

/** The last counter proves nothing: every newer state and history has it, too. */
function isOldCounter(counter: number, known: LastKnown): boolean {
  return counter <= known.counter && counter !== LAST_COUNTER
}

/** The known marks after `workload` was observed; undefined: none, since its state cannot be read, or does not count. */
export function knownAfter(
  workload: Workload,
  known: LastKnown | undefined,
  rules: ReadingRules,
): LastKnown | undefined {
  if (!isInOrder(workload, known, rules)) return known
  if (!hasStateOf(known, workload)) {
    const trust = trustIn(workload, rules)
    if (trust === 'unclear') return known
    if (trust === 'count') return undefined
  }
  // A repair of an unreadable state starts another counter: it must not be taken for an old copy.
  const counter = counterOf(workload, known, rules)
  return counter === undefined ? undefined : { counter, workload }
}

/** The counter of its state, which is read only where it is another text: most changes are a status's. */
function counterOf(
  workload: Workload,
  known: LastKnown | undefined,
  rules: ReadingRules,
): number | undefined {
  return known && hasStateOf(known, workload) ? known.counter : stateOf(workload, rules)?.counter
}

function hasStateOf(known: LastKnown | undefined, { annotations }: Workload): boolean {
  return known !== undefined && known.workload.annotations.state === annotations.state
}

/** Whether the state was written for another kind: then this workload has none. */
function isForeign(workload: Workload): boolean {
  return (kindOfState(workload) ?? workload.kind) !== workload.kind
}

/** Awake, not managed and not held: people may remove our remaining marks. */
function mayBeRemoved(known: Workload, rules: ReadingRules): boolean {
  return !isManaged(known, rules) && !hasSleepMark(known) && known.labels?.[HELD_LABEL] === undefined
}

function withAnnotationsOf(
  workload: Workload,
  known: Workload,
  whole: boolean,
  rules: ReadingRules,
): Workload {
  const annotations: Partial<Record<AnnotationName, string>> = { ...workload.annotations }
  for (const name of ANNOTATION_NAMES) {
    // A stored request is never carried out, so it is not restored.
    if (name === 'request') continue
    if (annotations[name] !== undefined && !isOfState(name) && !whole) continue
    const value = known.annotations[name]
    if (value === undefined) delete annotations[name]
    else annotations[name] = value
  }
  return withLabelsOf({ ...workload, annotations }, known, rules)
}

/** The history changes with the state alone; without one it means nothing. */
function withHistoryOf(workload: Workload, known: Workload): Workload {
  const { state, history } = known.annotations
  if (state === undefined || workload.annotations.history === history) return workload
  const { history: _, ...others } = workload.annotations
  return { ...workload, annotations: history === undefined ? others : { ...others, history } }
}

function withLabelsOf(workload: Workload, known: Workload, rules: ReadingRules): Workload {
  return OWN_LABELS.reduce((labelled, key) => withLabelOf(labelled, known, key, rules), workload)
}

/** A label that disagreed with its state when it was observed is not restored. */
function withLabelOf(workload: Workload, known: Workload, key: OwnLabel, rules: ReadingRules): Workload {
  const label = known.labels?.[key]
  if (label === workload.labels?.[key] || !labelAgrees(known, key, rules)) return workload
  return withLabel(workload, key, label)
}

function withLabel(workload: Workload, key: OwnLabel, label: string | undefined): Workload {
  const { [key]: _, ...others } = workload.labels ?? {}
  return { ...workload, labels: label === undefined ? others : { ...others, [key]: label } }
}

function labelAgrees(known: Workload, key: OwnLabel, rules: ReadingRules): boolean {
  const state = stateOf(known, rules) ?? EMPTY_STATE
  const kept = state.asleep ? String(state.snoozed?.replicas ?? 0) : undefined
  const follows = { [ASLEEP_LABEL]: kept, [HELD_LABEL]: heldBy(state) }
  return known.labels?.[key] === follows[key]
}
