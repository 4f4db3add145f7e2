import { escapePathComponent } from 'fast-json-patch'
import {
  ANNOTATION,
  ANNOTATION_NAMES,
  ASLEEP_LABEL,
  FIELD_MANAGER,
  SNOOZE_KEY,
  type AnnotationName,
  type Workload,
} from './workload.ts'

/** What to change of a workload; undefined: leave it as it is, null: remove it. */
export interface Change {
  readonly annotations: Readonly<Partial<Record<AnnotationName, string | null>>>
  readonly label?: string | null
  readonly replicas?: number
  /** The value of our key in a DaemonSet's nodeSelector. */
  readonly snoozeKey?: string | null
  /** Take the count (DaemonSet: the nodeSelector) out of our managedFields entry, so that a server-side applier may set it again. */
  readonly givesUpReplicas?: boolean
}

/** One operation of a JSON Patch (RFC 6902, section 4). */
export type PatchOperation =
  { op: 'test' | 'add' | 'replace'; path: string; value: unknown } | { op: 'remove'; path: string }

const ANNOTATIONS = '/metadata/annotations'
const LABELS = '/metadata/labels'
/** A nodeSelector is atomic: whoever sets one of its keys owns all of it. */
const SELECTOR_FIELD = 'f:spec/f:template/f:spec/f:nodeSelector'
const NODE_SELECTOR = '/spec/template/spec/nodeSelector'
const WHEN_SCALED = '/spec/persistentVolumeClaimRetentionPolicy/whenScaled'

/**
 * The change as one JSON Patch whose `test`s are what the decision rests on: uid, our annotations,
 * and the count (DaemonSet: our key). A status update in between does not make it fail; a change of
 * anything that the decision read does.
 */
export function jsonPatch(workload: Workload, change: Change): PatchOperation[] {
  return [
    ...preconditions(workload, change),
    ...mutations(workload, change),
    ...givingUpReplicas(workload, change),
  ]
}

/** The change without preconditions, for an object under review, which nobody else can write meanwhile. */
export function mutations(workload: Workload, change: Change): PatchOperation[] {
  return [
    ...annotationOperations(workload, change),
    ...labelOperations(workload, change),
    ...scaleOperations(workload, change),
  ]
}

export function isEmpty(change: Change): boolean {
  return (
    Object.keys(change.annotations).length === 0 &&
    change.label === undefined &&
    change.replicas === undefined &&
    change.snoozeKey === undefined &&
    change.givesUpReplicas !== true
  )
}

function preconditions(workload: Workload, change: Change): PatchOperation[] {
  const tests: PatchOperation[] = [{ op: 'test', path: '/metadata/uid', value: workload.uid }]
  // `test` with null passes on an absent key only where the map exists.
  if (workload.hasAnnotations) {
    for (const name of ANNOTATION_NAMES) {
      tests.push({ op: 'test', path: annotationPath(name), value: workload.annotations[name] ?? null })
    }
  } else tests.push({ op: 'test', path: ANNOTATIONS, value: null })
  if (workload.kind !== 'daemonsets') {
    tests.push({ op: 'test', path: '/spec/replicas', value: workload.replicas })
  } else if (workload.hasNodeSelector) {
    tests.push({ op: 'test', path: keyPath(), value: workload.snoozeKey ?? null })
  } else tests.push({ op: 'test', path: NODE_SELECTOR, value: null })
  // On a copy that is behind, sleep would be found harmless.
  if (change.replicas === 0 && workload.keepsVolumesBy !== undefined) {
    tests.push({ op: 'test', path: WHEN_SCALED, value: workload.keepsVolumesBy })
  }
  if (change.label !== undefined && workload.labels === undefined) {
    tests.push({ op: 'test', path: LABELS, value: null })
  }
  return tests
}

function annotationOperations(workload: Workload, { annotations }: Change): PatchOperation[] {
  const entries = ANNOTATION_NAMES.filter((name) => annotations[name] !== undefined)
  if (workload.hasAnnotations) {
    return entries.flatMap((name) =>
      setOrRemove(annotationPath(name), annotations[name], workload.annotations[name]),
    )
  }
  const added = entries.filter((name) => annotations[name] !== null)
  if (added.length === 0) return []
  const value = Object.fromEntries(added.map((name) => [ANNOTATION[name], annotations[name]]))
  return [{ op: 'add', path: ANNOTATIONS, value }]
}

function labelOperations(workload: Workload, { label }: Change): PatchOperation[] {
  if (label === undefined) return []
  if (workload.labels)
    return setOrRemove(`${LABELS}/${escapePathComponent(ASLEEP_LABEL)}`, label, workload.labels[ASLEEP_LABEL])
  return label === null ? [] : [{ op: 'add', path: LABELS, value: { [ASLEEP_LABEL]: label } }]
}

function scaleOperations(workload: Workload, { replicas, snoozeKey }: Change): PatchOperation[] {
  if (workload.kind !== 'daemonsets') {
    return replicas === undefined ? [] : [{ op: 'replace', path: '/spec/replicas', value: replicas }]
  }
  if (snoozeKey === undefined) return []
  if (workload.hasNodeSelector) {
    return setOrRemove(keyPath(), snoozeKey, workload.snoozeKey)
  }
  return snoozeKey === null ? [] : [{ op: 'add', path: NODE_SELECTOR, value: { [SNOOZE_KEY]: snoozeKey } }]
}

function givingUpReplicas(
  { kind, ownReplicasEntry }: Workload,
  { givesUpReplicas }: Change,
): PatchOperation[] {
  if (givesUpReplicas !== true || ownReplicasEntry === undefined) return []
  const entry = `/metadata/managedFields/${ownReplicasEntry}`
  return [
    { op: 'test', path: `${entry}/manager`, value: FIELD_MANAGER },
    {
      op: 'remove',
      path: `${entry}/fieldsV1/${kind === 'daemonsets' ? SELECTOR_FIELD : 'f:spec/f:replicas'}`,
    },
  ]
}

function setOrRemove(
  path: string,
  value: string | null | undefined,
  present: string | undefined,
): PatchOperation[] {
  if (value === undefined || value === (present ?? null)) return []
  return value === null ? [{ op: 'remove', path }] : [{ op: 'add', path, value }]
}

function annotationPath(name: AnnotationName): string {
  return `${ANNOTATIONS}/${escapePathComponent(ANNOTATION[name])}`
}

function keyPath(): string {
  return `${NODE_SELECTOR}/${escapePathComponent(SNOOZE_KEY)}`
}
