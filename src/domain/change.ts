import { isEmpty, type Change } from './patch.ts'
import { keptCount, type Reading } from './reading.ts'
import { encodeState, STATE_LIMIT } from './state-codec.ts'
import { EMPTY_STATE, type State } from './state.ts'
import { ANNOTATION, ANNOTATION_NAMES, ASLEEP_LABEL, type AnnotationName, type Workload } from './workload.ts'

/** Bytes: the API server refuses more than this of all annotations of an object together, keys and values. */
const ANNOTATIONS_LIMIT = 256 * 1024
/** Bytes that a sleeper leaves free, so that the state of its wake, which may be longer, still fits. */
const ROOM_TO_WAKE = 512

/** All that differs between what a workload is and what it is to be; undefined: nothing. */
export function changeBetween(workload: Workload, target: Reading): Change | undefined {
  const annotations: Partial<Record<AnnotationName, string | null>> = {}
  for (const name of ANNOTATION_NAMES) {
    const value = target.workload.annotations[name]
    if (value !== workload.annotations[name]) annotations[name] = value ?? null
  }
  const { state, written = EMPTY_STATE } = target
  if (state !== written) {
    const stored = { ...state, kind: workload.kind, counter: state.counter + 1 }
    annotations.state = encodeState(stored, roomForState(target))
  }
  const label = state.asleep ? String(keptCount(target)) : null
  const { replicas, snoozeKey } = target.workload
  const change: Change = {
    annotations,
    ...(label === (workload.labels?.[ASLEEP_LABEL] ?? null) ? {} : { label }),
    ...(replicas === workload.replicas || workload.kind === 'daemonsets' ? {} : { replicas }),
    ...(snoozeKey === workload.snoozeKey ? {} : { snoozeKey: snoozeKey ?? null }),
    ...(workload.ownReplicasEntry !== undefined && completesWake(written, state) ? { disown: true } : {}),
  }
  return isEmpty(change) ? undefined : change
}

function roomForState({ workload, state }: Reading): number {
  const { state: _, ...others } = workload.annotations
  const taken = Object.entries(others).reduce(
    (sum, [name, value]) => sum + ANNOTATION[name as AnnotationName].length + Buffer.byteLength(value),
    workload.otherAnnotationBytes + ANNOTATION.state.length,
  )
  return Math.min(STATE_LIMIT, ANNOTATIONS_LIMIT - taken - (state.asleep ? ROOM_TO_WAKE : 0))
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
    hasNodeSelector: workload.hasNodeSelector || typeof change.snoozeKey === 'string',
    snoozeKey: change.snoozeKey === undefined ? workload.snoozeKey : (change.snoozeKey ?? undefined),
    replicas: change.replicas ?? workload.replicas,
    generation: workload.generation + (specChanges ? 1 : 0),
    ...(change.disown ? { ownReplicasEntry: undefined } : {}),
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
