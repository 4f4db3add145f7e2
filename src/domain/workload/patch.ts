import { goesToSleep, labelsIn, restsOn, type Change } from './change.ts'
import { stepOf } from '../json-pointer.ts'
import { apiVersionOf } from '../kinds.ts'
import { carryOut, setOrRemove, type PatchOperation } from '../json-patch.ts'
import { fieldsOf, pointerInFields } from '../managed-fields.ts'
import { formOf, sleepingOf } from '../sleeping/forms.ts'
import {
  ANNOTATION,
  annotationAt,
  ANNOTATION_NAMES,
  FIELD_MANAGER,
  fieldOf,
  type AnnotationName,
  type Workload,
} from './workload.ts'

const ANNOTATIONS = '/metadata/annotations'
const LABELS = '/metadata/labels'
const WHEN_SCALED = '/spec/persistentVolumeClaimRetentionPolicy/whenScaled'

/**
 * The change as one JSON Patch whose `test`s are the inputs of the decision: uid, our annotations, and the count
 * (DaemonSet: our key). A status update in between does not make it fail; a change of an input does.
 */
export function jsonPatch(workload: Workload, change: Change): PatchOperation[] {
  return [
    ...preconditions(workload, change),
    ...mutations(workload, change),
    ...givingUpReplicas(workload, change),
  ]
}

/**
 * Makes the change on the whole object, if the patch would apply to it; false: it takes a patch, as an entry of
 * `managedFields` does.
 */
export function changeObject(object: object, workload: Workload, change: Change): boolean {
  return change.givesUpReplicas !== true && carryOut(object, jsonPatch(workload, change))
}

/**
 * The change for an object under review, which nobody else can write meanwhile: without preconditions. The API server
 * credits nobody for a field that a webhook sets, and a Scale of a count without an owner leaves none, so that a hand
 * would look like drift: where nobody owns the count, the entry of our own patches is added.
 */
export function reviewPatch(workload: Workload, change: Change): PatchOperation[] {
  return [...mutations(workload, change), ...owningReplicas(workload, change)]
}

function mutations(workload: Workload, change: Change): PatchOperation[] {
  const moves = formOf(workload).operations(workload, fieldOf(workload), change)
  // A switch may be an annotation, and the first on its object.
  const hasAnnotations = workload.hasAnnotations || moves.some(({ path }) => path === ANNOTATIONS)
  return [
    ...moves,
    ...annotationOperations({ ...workload, hasAnnotations }, change),
    ...labelOperations(workload, change),
  ]
}

function preconditions(workload: Workload, change: Change): PatchOperation[] {
  const tests: PatchOperation[] = [{ op: 'test', path: '/metadata/uid', value: workload.uid }]
  // `test` with null passes on an absent key only where the map exists.
  if (workload.hasAnnotations) {
    for (const name of ANNOTATION_NAMES) {
      if (!restsOn(workload, change, name)) continue
      tests.push({ op: 'test', path: annotationPath(name), value: workload.annotations[name] ?? null })
    }
  } else tests.push({ op: 'test', path: ANNOTATIONS, value: null })
  tests.push(...formOf(workload).tests(workload, fieldOf(workload)))
  // On a copy that is behind, sleep would be found harmless.
  if (workload.keepsVolumesBy !== undefined && goesToSleep(workload, change)) {
    tests.push({ op: 'test', path: WHEN_SCALED, value: workload.keepsVolumesBy })
  }
  if (labelsIn(change).length > 0 && workload.labels === undefined) {
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

function labelOperations({ labels }: Workload, change: Change): PatchOperation[] {
  const entries = labelsIn(change)
  if (labels)
    return entries.flatMap(([key, value]) => setOrRemove(`${LABELS}/${stepOf(key)}`, value, labels[key]))
  const added = entries.filter(([, value]) => value !== null)
  return added.length === 0 ? [] : [{ op: 'add', path: LABELS, value: Object.fromEntries(added) }]
}

function givingUpReplicas(workload: Workload, { givesUpReplicas }: Change): PatchOperation[] {
  const { ownReplicasEntry } = workload
  if (givesUpReplicas !== true || ownReplicasEntry === undefined) return []
  return givingUp(ownReplicasEntry, fieldOf(workload))
}

/** Ends our ownership of the field at a JSON pointer, which that entry of `managedFields` has: a server-side applier may set it. */
export function givingUp(entry: number, field: string): PatchOperation[] {
  const path = `/metadata/managedFields/${entry}`
  return [
    { op: 'test', path: `${path}/manager`, value: FIELD_MANAGER },
    { op: 'remove', path: `${path}/fieldsV1${pointerInFields(field)}` },
  ]
}

function owningReplicas(workload: Workload, { replicas }: Change): PatchOperation[] {
  const { kind, configured, replicasManager, tracksOwners } = workload
  if (replicas === undefined || replicasManager || !tracksOwners) return []
  // Their wake by hand is an update of the object itself.
  if (!sleepingOf(workload).hasScale) return []
  const value = {
    manager: FIELD_MANAGER,
    operation: 'Update',
    apiVersion: configured?.apiVersion ?? apiVersionOf(kind),
    fieldsType: 'FieldsV1',
    fieldsV1: fieldsOf(fieldOf(workload)),
  }
  return [{ op: 'add', path: '/metadata/managedFields/-', value }]
}

function annotationPath(name: AnnotationName): string {
  return annotationAt(ANNOTATION[name])
}
