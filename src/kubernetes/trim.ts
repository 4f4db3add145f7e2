import { factsOf, hasKey, sleepsSuspended } from '../domain/kinds.ts'
import {
  ANNOTATION,
  ANNOTATION_NAMES,
  FIELD_MANAGER,
  SNOOZE_KEY,
  type AnnotationName,
  type Kind,
  type Owner,
  type Pods,
  type ReplicasManager,
  type Workload,
} from '../domain/workload.ts'
import type { ManagedFieldsEntry, ObjectMeta, WorkloadObject } from './api-object.ts'
import { effectiveRequests } from './pod-resources.ts'

/** The Deployment controller sets it on each of its ReplicaSets. */
const REVISION = 'deployment.kubernetes.io/revision'
const CONTROLLER_MANAGER = 'kube-controller-manager'
const OWN: ReadonlySet<string> = new Set(Object.values(ANNOTATION))

/** Returns one shared copy of equal texts, to save memory; bounded, so that unique texts cannot fill it. */
export type Intern = (text: string) => string

export function createIntern(limit = 20_000): Intern {
  const known = new Map<string, string>()
  return (text) => {
    const present = known.get(text)
    if (present !== undefined) return present
    if (known.size < limit) known.set(text, text)
    return text
  }
}

/** The object, trimmed to what the rules need. Of the original it keeps only texts, so that the rest can be freed. */
export function trim(kind: Kind, object: WorkloadObject, intern: Intern = (text) => text): Workload {
  const { metadata, spec, status } = object
  const nodeSelector = (hasKey(kind) && spec?.template?.spec?.nodeSelector) || undefined
  return {
    kind,
    ...trimMetadata(kind, metadata, intern),
    hasNodeSelector: nodeSelector !== undefined,
    snoozeKey: nodeSelector?.[SNOOZE_KEY],
    replicas: replicasOf(kind, object),
    deletesVolumes:
      kind === 'statefulsets' && spec?.persistentVolumeClaimRetentionPolicy?.whenScaled === 'Delete',
    pods: podsOf(kind, object),
    requests: effectiveRequests(spec?.template?.spec),
    ...(sleepsSuspended(kind) && { lastScheduleTime: instantOf(status?.lastScheduleTime) }),
  }
}

function replicasOf(kind: Kind, { spec, status }: WorkloadObject): number {
  if (sleepsSuspended(kind)) return spec?.suspend === true ? 0 : 1
  // The API server defaults an absent count to 1.
  return hasKey(kind) ? (status?.desiredNumberScheduled ?? 0) : (spec?.replicas ?? 1)
}

function instantOf(time: string | null | undefined): number | undefined {
  const instant = Date.parse(time ?? '')
  return Number.isNaN(instant) ? undefined : instant
}

/** What the metadata alone says, which is all that the answer to a patch has. */
export type TrimmedMetadata = Omit<
  Workload,
  | 'kind'
  | 'hasNodeSelector'
  | 'snoozeKey'
  | 'replicas'
  | 'deletesVolumes'
  | 'pods'
  | 'requests'
  | 'lastScheduleTime'
>

export function trimMetadata(
  kind: Kind,
  metadata: ObjectMeta,
  intern: Intern = (text) => text,
): TrimmedMetadata {
  const managedFields = metadata.managedFields ?? []
  return {
    namespace: intern(metadata.namespace ?? ''),
    name: metadata.name,
    uid: metadata.uid,
    resourceVersion: metadata.resourceVersion,
    generation: metadata.generation ?? 0,
    // API servers before 1.34 send null where `kubectl replace` left it out, as Go writes a zero time.
    createdAt: Date.parse(metadata.creationTimestamp ?? '') || 0,
    deleting: metadata.deletionTimestamp != null,
    owner: ownerOf(metadata, intern),
    labels: metadata.labels ? internValues(metadata.labels, intern) : undefined,
    annotations: ownAnnotations(metadata.annotations, intern),
    hasAnnotations: metadata.annotations != null,
    otherAnnotationBytes: otherBytes(metadata.annotations),
    formerRevision: kind === 'replicasets' && metadata.annotations?.[REVISION] !== undefined,
    replicasManager: replicasManagerOf(kind, managedFields, intern),
    ownReplicasEntry: ownReplicasEntryOf(kind, managedFields),
  }
}

function ownerOf({ ownerReferences }: ObjectMeta, intern: Intern): Owner | undefined {
  const owner = ownerReferences?.find(({ controller }) => controller === true)
  return owner && { apiVersion: intern(owner.apiVersion), kind: intern(owner.kind), name: intern(owner.name) }
}

function internValues(labels: Readonly<Record<string, string>>, intern: Intern): Record<string, string> {
  const kept: Record<string, string> = {}
  for (const key in labels) kept[key] = intern(labels[key] ?? '')
  return kept
}

function ownAnnotations(
  annotations: ObjectMeta['annotations'],
  intern: Intern,
): Partial<Record<AnnotationName, string>> {
  const kept: Partial<Record<AnnotationName, string>> = {}
  if (!annotations) return kept
  for (const name of ANNOTATION_NAMES) {
    const value = annotations[ANNOTATION[name]]
    if (value !== undefined) kept[name] = name === 'state' ? value : intern(value)
  }
  return kept
}

/** The bytes of other annotations, as the API server counts them: keys and values. */
function otherBytes(annotations: ObjectMeta['annotations']): number {
  let bytes = 0
  for (const key in annotations)
    if (!OWN.has(key)) bytes += Buffer.byteLength(key) + Buffer.byteLength(annotations[key] ?? '')
  return bytes
}

function podsOf(kind: Kind, object: WorkloadObject): Pods {
  const { metadata, status } = object
  // The Jobs that it has started finish, asleep or not: nobody waits for them.
  if (sleepsSuspended(kind)) {
    const ready = replicasOf(kind, object)
    return { existing: ready, ready, observedGeneration: metadata.generation ?? 0 }
  }
  const observedGeneration = status?.observedGeneration ?? 0
  const written = statusWritten(metadata.managedFields)
  const seen = { observedGeneration, ...(written === undefined ? {} : { updatedAt: written }) }
  if (!hasKey(kind)) {
    return { existing: status?.replicas ?? 0, ready: status?.readyReplicas ?? 0, ...seen }
  }
  return {
    existing: (status?.currentNumberScheduled ?? 0) + (status?.numberMisscheduled ?? 0),
    ready: status?.numberReady ?? 0,
    ...seen,
  }
}

/** When the controller manager last wrote the status, to the second. */
function statusWritten(entries: readonly ManagedFieldsEntry[] = []): number | undefined {
  const entry = entries.find(
    ({ manager, subresource }) => subresource === 'status' && manager === CONTROLLER_MANAGER,
  )
  return entry?.time === undefined ? undefined : Date.parse(entry.time)
}

/** Whether an entry owns a field, which is given as a JSON pointer into the object. */
function owns({ fieldsV1 }: ManagedFieldsEntry, field: string): boolean {
  let fields: unknown = fieldsV1
  for (const name of field.split('/').slice(1)) {
    if (typeof fields !== 'object' || fields === null) return false
    fields = (fields as Readonly<Record<string, unknown>>)[`f:${name}`]
  }
  return fields !== undefined
}

function replicasManagerOf(
  kind: Kind,
  entries: readonly ManagedFieldsEntry[],
  intern: Intern,
): ReplicasManager | undefined {
  // Of a nodeSelector, nobody asks who set it.
  if (hasKey(kind)) return undefined
  const { field } = factsOf(kind)
  let newest: ManagedFieldsEntry | undefined
  for (const entry of entries) {
    // Times are RFC 3339 in UTC with whole seconds, so they can be compared as texts. Of equal ones the later entry
    // wins.
    if (owns(entry, field) && (entry.time ?? '') >= (newest?.time ?? '')) newest = entry
  }
  if (newest?.manager === undefined) return undefined
  return {
    manager: intern(newest.manager),
    subresource:
      newest.subresource === undefined || newest.subresource === '' ? undefined : newest.subresource,
  }
}

function ownReplicasEntryOf(kind: Kind, entries: readonly ManagedFieldsEntry[]): number | undefined {
  const { field } = factsOf(kind)
  const index = entries.findIndex(
    (entry) => entry.manager === FIELD_MANAGER && !entry.subresource && owns(entry, field),
  )
  return index === -1 ? undefined : index
}
