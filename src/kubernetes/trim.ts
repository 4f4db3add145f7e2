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
  const whenScaled =
    kind === 'statefulsets' ? spec?.persistentVolumeClaimRetentionPolicy?.whenScaled : undefined
  const nodeSelector = (kind === 'daemonsets' && spec?.template?.spec?.nodeSelector) || undefined
  return {
    kind,
    ...trimMetadata(kind, metadata, intern),
    hasNodeSelector: nodeSelector !== undefined,
    snoozeKey: nodeSelector?.[SNOOZE_KEY],
    // The API server defaults an absent count to 1.
    replicas: kind === 'daemonsets' ? (status?.desiredNumberScheduled ?? 0) : (spec?.replicas ?? 1),
    deletesVolumes: whenScaled === 'Delete',
    ...(whenScaled && whenScaled !== 'Delete' ? { keepsVolumesBy: intern(whenScaled) } : {}),
    pods: podsOf(kind, object),
    requests: effectiveRequests(spec?.template?.spec),
  }
}

/** What the metadata alone says, which is all that the answer to a patch has. */
export type TrimmedMetadata = Omit<
  Workload,
  'kind' | 'hasNodeSelector' | 'snoozeKey' | 'replicas' | 'deletesVolumes' | 'pods' | 'requests'
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
    replicasManager: replicasManagerOf(managedFields, intern),
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

function podsOf(kind: Kind, { metadata, status }: WorkloadObject): Pods {
  const observedGeneration = status?.observedGeneration ?? 0
  const written = statusWritten(metadata.managedFields)
  const seen = { observedGeneration, ...(written === undefined ? {} : { updatedAt: written }) }
  if (kind !== 'daemonsets') {
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

function holdsReplicas({ fieldsV1 }: ManagedFieldsEntry): boolean {
  return fieldsV1?.['f:spec']?.['f:replicas'] !== undefined
}

function holdsNodeSelector({ fieldsV1 }: ManagedFieldsEntry): boolean {
  const template = fieldsV1?.['f:spec']?.['f:template'] as
    { readonly 'f:spec'?: Readonly<Record<string, unknown>> } | undefined
  return template?.['f:spec']?.['f:nodeSelector'] !== undefined
}

function replicasManagerOf(
  entries: readonly ManagedFieldsEntry[],
  intern: Intern,
): ReplicasManager | undefined {
  let newest: ManagedFieldsEntry | undefined
  for (const entry of entries) {
    // Times are RFC 3339 in UTC with whole seconds, so they can be compared as texts. Of equal ones the later entry
    // wins.
    if (holdsReplicas(entry) && (entry.time ?? '') >= (newest?.time ?? '')) newest = entry
  }
  if (newest?.manager === undefined) return undefined
  return {
    manager: intern(newest.manager),
    subresource:
      newest.subresource === undefined || newest.subresource === '' ? undefined : newest.subresource,
  }
}

function ownReplicasEntryOf(kind: Kind, entries: readonly ManagedFieldsEntry[]): number | undefined {
  const holds = kind === 'daemonsets' ? holdsNodeSelector : holdsReplicas
  const index = entries.findIndex(
    (entry) => entry.manager === FIELD_MANAGER && !entry.subresource && holds(entry),
  )
  return index === -1 ? undefined : index
}
