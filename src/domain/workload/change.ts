import type { Instant } from '../../process/clock.ts'
import { factsOf } from '../kinds.ts'
import { differingAnnotations } from './marks.ts'
import { keptCount } from './counts.ts'
import { formOf, isFollowed } from '../sleeping/forms.ts'
import type { Move, Position } from '../sleeping/form.ts'
import { bytesOf } from '../text.ts'
import type { Reading } from './reading.ts'
import { encodeState, LAST_COUNTER, STATE_LIMIT } from './state-codec.ts'
import { EMPTY_STATE, heldBy } from './state.ts'
import { TAG_BYTES } from './tag.ts'
import {
  ANNOTATION,
  ASLEEP_LABEL,
  fieldOf,
  HELD_LABEL,
  OWN_LABELS,
  type AnnotationName,
  type Kind,
  type OwnLabel,
  type Workload,
} from './workload.ts'

/** Changes of a workload; undefined: leave the field as it is, null: remove it. */
export interface Change extends Move {
  readonly annotations: Readonly<Partial<Record<AnnotationName, string | null>>>
  /** The label of sleepers. */
  readonly label?: string | null
  /** The label of a held workload. */
  readonly held?: string | null
  /** CronJob: written to the status first, so that no missed run is started. */
  readonly lastScheduleTime?: Instant
  /** Take the count (DaemonSet: the nodeSelector) out of our managedFields entry, so that a server-side applier may set it again. */
  readonly givesUpReplicas?: boolean
}

export function isEmpty(change: Change): boolean {
  return (
    Object.keys(change.annotations).length === 0 &&
    labelsIn(change).length === 0 &&
    change.replicas === undefined &&
    change.snoozeKey === undefined &&
    change.givesUpReplicas !== true
  )
}

/** Our labels that a change sets, with their values; null: removed. */
export function labelsIn({ label, held }: Change): [OwnLabel, string | null][] {
  const values = { [ASLEEP_LABEL]: label, [HELD_LABEL]: held }
  return OWN_LABELS.flatMap((key) => {
    const value = values[key]
    return value === undefined ? [] : [[key, value]]
  })
}

/** Bytes: the API server refuses an object whose annotations, keys and values together, are larger. */
const ANNOTATIONS_LIMIT = 256 * 1024
/** Bytes; a state with only its newest operation is never longer, whatever names it holds. */
const BYTES_TO_WAKE = 5120

/** The part of a change that gives `from` our annotations of `to`. */
export function annotationChange(from: Workload, to: Workload): Change['annotations'] {
  return Object.fromEntries(
    differingAnnotations(from, to).map((name) => [name, to.annotations[name] ?? null]),
  )
}

/** The part of a change that gives a workload our labels of these values; null: no label. */
export function labelChange(
  { labels }: Workload,
  label: string | null,
  held: string | null,
): Pick<Change, 'label' | 'held'> {
  return {
    ...(label === (labels?.[ASLEEP_LABEL] ?? null) ? {} : { label }),
    ...(held === (labels?.[HELD_LABEL] ?? null) ? {} : { held }),
  }
}

/** The change that makes `target` of a workload; undefined: it is so already. */
export function changeBetween(workload: Workload, target: Reading): Change | undefined {
  const { state } = target
  const { lastScheduleTime } = target.workload
  const change: Change = {
    annotations: annotationChange(workload, withStateWritten(target, workload.kind)),
    ...labelChange(workload, state.asleep ? String(keptCount(target)) : null, heldBy(state) ?? null),
    ...moveBetween(workload, target.workload),
    ...(lastScheduleTime === workload.lastScheduleTime || lastScheduleTime === undefined
      ? {}
      : { lastScheduleTime }),
    ...(givesUpReplicas(workload, target) ? { givesUpReplicas: true } : {}),
  }
  return isEmpty(change) ? undefined : change
}

/** The target with the annotations of its state, if they have to be written. */
function withStateWritten(target: Reading, kind: Kind): Workload {
  const { workload, state, written = EMPTY_STATE, keyring } = target
  if (state === written) return workload
  const stored = { ...state, kind, counter: Math.min(state.counter + 1, LAST_COUNTER) }
  const texts = encodeState(stored, Math.min(STATE_LIMIT, bytesLeft(workload)) - (keyring ? TAG_BYTES : 0))
  return changed(workload, { annotations: { history: null, ...(keyring?.signed(workload, texts) ?? texts) } })
}

/** The bytes that all other annotations leave for our state and its history. */
function bytesLeft({ annotations, otherAnnotationBytes }: Workload): number {
  const { state: _state, history: _history, ...others } = annotations
  const taken = Object.entries(others).reduce(
    (sum, [name, value]) => sum + ANNOTATION[name as AnnotationName].length + bytesOf(value),
    otherAnnotationBytes + ANNOTATION.state.length + ANNOTATION.history.length,
  )
  return ANNOTATIONS_LIMIT - taken
}

/** Whether a state with its newest operation fits: the state that wakes a workload is longer than the one it has. */
export function hasRoomToWake(workload: Workload): boolean {
  return bytesLeft(workload) >= BYTES_TO_WAKE
}

/** Once a wake has ended, our ownership of the count is given up, so that a server-side applier may set it. */
function givesUpReplicas(workload: Workload, { state, workload: target }: Reading): boolean {
  const [newest] = state.history
  const hasEnded = newest !== undefined && newest.result !== 'running' && !state.asleep
  const isMoved = target.replicas !== workload.replicas || target.snoozeKey !== workload.snoozeKey
  return workload.ownReplicasEntry !== undefined && hasEnded && !isMoved
}

/** The workload once `change` is applied; its status stays as it was. */
export function changed(workload: Workload, change: Change): Workload {
  const annotations = apply(workload.annotations, change.annotations)
  const ours = labelsIn(change)
  const labels = ours.length === 0 ? workload.labels : apply(workload.labels ?? {}, Object.fromEntries(ours))
  const followed = isFollowed(workload) ? undefined : change.replicas
  const moves = change.replicas !== undefined || change.snoozeKey !== undefined
  // The API server counts no generation for a change of metadata.
  const counts = moves && !fieldOf(workload).startsWith('/metadata/')
  return {
    ...workload,
    annotations,
    labels,
    hasAnnotations: workload.hasAnnotations || Object.keys(annotations).length > 0,
    hasNodeSelector: workload.hasNodeSelector || typeof change.snoozeKey === 'string',
    snoozeKey: change.snoozeKey === undefined ? workload.snoozeKey : (change.snoozeKey ?? undefined),
    replicas: change.replicas ?? workload.replicas,
    ...(workload.found && change.replicas !== undefined ? { found: undefined } : {}),
    generation: workload.generation + (counts ? 1 : 0),
    ...(followed === undefined ? {} : { pods: { ...workload.pods, existing: followed, ready: followed } }),
    ...(change.lastScheduleTime === undefined ? {} : { lastScheduleTime: change.lastScheduleTime }),
    ...(change.givesUpReplicas ? { ownReplicasEntry: undefined } : {}),
  }
}

/** Whether the patch tests the annotation; changes of others meanwhile neither stop it nor mean that it was undone. */
export function restsOn(workload: Pick<Workload, 'kind'>, change: Change, name: AnnotationName): boolean {
  return name !== 'history' && (isReadFor(workload, name) || change.annotations[name] !== undefined)
}

const READ_ELSEWHERE: readonly AnnotationName[] = [
  'wakeOrder',
  'sleepOrder',
  'deployWakes',
  'wakeOnTraffic',
  'trafficHold',
  'request',
]

/**
 * Whether a decision about the workload may depend on the annotation. An order only delays a decision, `deploy-wakes`
 * is read by the webhook alone, those of traffic by a knock alone, and a stored request is never carried out. The history
 * changes with the state, which is tested.
 */
function isReadFor({ kind }: Pick<Workload, 'kind'>, name: AnnotationName): boolean {
  return name === 'catchUp' ? factsOf(kind).startsJobs === true : !READ_ELSEWHERE.includes(name)
}

/**
 * Whether `live` has the annotations that `change` leaves on `workload`, and our labels that it sets. Annotations that
 * its patch does not test, and other labels, are not compared: somebody may have set them meanwhile.
 */
export function hasChangedMarks(live: Workload, workload: Workload, change: Change): boolean {
  const target = changed(workload, change)
  const labelled = labelsIn(change).every(([key]) => live.labels?.[key] === target.labels?.[key])
  return labelled && !differingAnnotations(live, target).some((name) => restsOn(workload, change, name))
}

/** Whether `live` is as `change` would have made `workload`, in all that the change sets. */
export function hasChanged(live: Workload, workload: Workload, change: Change): boolean {
  const target = changed(workload, change)
  return (
    hasChangedMarks(live, workload, change) &&
    (change.replicas === undefined || live.replicas === target.replicas) &&
    (change.snoozeKey === undefined || live.snoozeKey === target.snoozeKey) &&
    (change.givesUpReplicas !== true || live.ownReplicasEntry === undefined)
  )
}

/** Whether the change puts a running workload to sleep, so that only our marks keep its count. */
export function goesToSleep(workload: Workload, { replicas, snoozeKey }: Change): boolean {
  return (replicas ?? workload.replicas) < workload.replicas || (snoozeKey ?? undefined) !== undefined
}

/** The change that gives `live` the count, the key and the marks that `before` had. */
export function changeBack(live: Workload, before: Workload): Change {
  return {
    annotations: annotationChange(live, before),
    ...labelChange(live, before.labels?.[ASLEEP_LABEL] ?? null, before.labels?.[HELD_LABEL] ?? null),
    ...moveBetween(live, before),
  }
}

function moveBetween(from: Workload, { replicas, snoozeKey }: Position): Move {
  return {
    ...(replicas === from.replicas || !formOf(from).countInSpec ? {} : { replicas }),
    ...(snoozeKey === from.snoozeKey ? {} : { snoozeKey: snoozeKey ?? null }),
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
