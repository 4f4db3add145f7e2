import { hasSleepMark, kindOfState, stateOf } from './reading.ts'
import { isManaged } from './settings.ts'
import type { ReadingRules } from './settings-rules.ts'
import { EMPTY_STATE, heldBy } from './state.ts'
import {
  ANNOTATION_NAMES,
  ASLEEP_LABEL,
  HELD_LABEL,
  isOfState,
  OWN_LABELS,
  type AnnotationName,
  type OwnLabel,
  type Workload,
} from './workload.ts'

/** A stored request is never carried out, so it is not restored. */
const RESTORABLE = ANNOTATION_NAMES.filter((name) => name !== 'request')

/**
 * The workload with the marks of `known`, an earlier copy of it, after others destroyed them; the same object if there
 * is nothing to restore. Only this function restores marks; controller and webhook both call it. `isOldCopy`: whether
 * `known` is the newer of two copies whose state or history differs.
 */
export function marksRestored(
  workload: Workload,
  known: Workload,
  isOldCopy: boolean,
  rules: ReadingRules,
): Workload {
  const names = toRestore(workload, known, isOldCopy, rules)
  return names ? withLabelsOf(withAnnotationsOf(workload, known, names), known, rules) : workload
}

/** The annotations to take from `known`, with its labels; undefined: the workload's own marks are newer. */
function toRestore(
  workload: Workload,
  known: Workload,
  isOldCopy: boolean,
  rules: ReadingRules,
): readonly AnnotationName[] | undefined {
  const { state } = workload.annotations
  if (state === known.annotations.state) {
    // Changes of the other annotations are people's, and stay. The history changes with the state alone.
    return isOldCopy && state !== undefined ? ['history'] : []
  }
  if (state === undefined || isForeign(workload)) {
    // `kubectl replace` drops annotations: absent ones come back.
    const isAbsent = (name: AnnotationName) => isOfState(name) || workload.annotations[name] === undefined
    return mayBeRemoved(known, rules) ? [] : RESTORABLE.filter(isAbsent)
  }
  // `kubectl rollout undo` puts old annotations back: all are replaced.
  return isOldCopy ? RESTORABLE : undefined
}

/** Whether the state was written for another kind: then this workload has none. */
function isForeign(workload: Workload): boolean {
  return (kindOfState(workload) ?? workload.kind) !== workload.kind
}

/** Awake, not managed and not held: people may remove our remaining marks. */
function mayBeRemoved(known: Workload, rules: ReadingRules): boolean {
  return !isManaged(known, rules) && !hasSleepMark(known) && known.labels?.[HELD_LABEL] === undefined
}

function withAnnotationsOf(workload: Workload, known: Workload, names: readonly AnnotationName[]): Workload {
  const differing = names.filter((name) => workload.annotations[name] !== known.annotations[name])
  if (differing.length === 0) return workload
  const annotations: Partial<Record<AnnotationName, string>> = { ...workload.annotations }
  for (const name of differing) {
    const value = known.annotations[name]
    if (value === undefined) delete annotations[name]
    else annotations[name] = value
  }
  return { ...workload, annotations }
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

export function withLabel(workload: Workload, key: OwnLabel, label: string | undefined): Workload {
  const { [key]: _, ...others } = workload.labels ?? {}
  return { ...workload, labels: label === undefined ? others : { ...others, [key]: label } }
}

function labelAgrees(known: Workload, key: OwnLabel, rules: ReadingRules): boolean {
  const state = stateOf(known, rules) ?? EMPTY_STATE
  const kept = state.asleep ? String(state.snoozed?.replicas ?? 0) : undefined
  const follows = { [ASLEEP_LABEL]: kept, [HELD_LABEL]: heldBy(state) }
  return known.labels?.[key] === follows[key]
}
