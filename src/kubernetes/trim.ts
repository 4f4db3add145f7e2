import { isDeepStrictEqual } from 'node:util'
import { countOfOther } from '../domain/workload/counts.ts'
import { valueAt } from '../domain/json-pointer.ts'
import { factsOf } from '../domain/kinds.ts'
import { owns } from '../domain/managed-fields.ts'
import type { Form, Position, Sleeping } from '../domain/sleeping/form.ts'
import { holds } from '../domain/sleeping/condition.ts'
import { isFollowed, sleepingOf } from '../domain/sleeping/forms.ts'
import {
  ANNOTATION,
  ANNOTATION_NAMES,
  ASLEEP_LABEL,
  FIELD_MANAGER,
  isOfState,
  KEPT_BY_DOWNSCALERS,
  type AnnotationName,
  type Configured,
  type Kind,
  type Owner,
  type Pods,
  type ReplicasManager,
  type Workload,
} from '../domain/workload/workload.ts'
import { troubleIn } from '../domain/workload/trouble.ts'
import type { ManagedFieldsEntry, ObjectMeta, WorkloadObject } from './api-object.ts'
import { effectiveRequests } from './pod-resources.ts'

/** The Deployment controller sets it on each of its ReplicaSets. */
const REVISION = 'deployment.kubernetes.io/revision'
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration'
const CONTROLLER_MANAGER = 'kube-controller-manager'
const OWN: ReadonlySet<string> = new Set(Object.values(ANNOTATION))

/** Returns one shared copy of equal texts, to save memory. */
export type Intern = (text: string) => string

/** Longer texts are not shared: people's annotations are up to 256 KiB long. */
const LONGEST_SHARED = 512

/** Shares at most `limit` texts, which it never forgets: unique ones, and long ones, cannot fill the memory. */
export function createIntern(limit = 20_000, known = new Map<string, string>()): Intern {
  return (text) => {
    const present = known.get(text)
    if (present !== undefined) return present
    if (known.size < limit && text.length <= LONGEST_SHARED) known.set(text, text)
    return text
  }
}

/** How each configured kind sleeps. */
export type ConfiguredFields = ReadonlyMap<Kind, Sleeping>

const NONE_CONFIGURED: ConfiguredFields = new Map()

/** The object, trimmed to what the rules need. It keeps only texts of the original, so that the rest can be freed. */
export function trim(
  kind: Kind,
  object: WorkloadObject,
  intern: Intern = (text) => text,
  fields: ConfiguredFields = NONE_CONFIGURED,
  keepsPodLabels = false,
): Workload {
  const { metadata, spec, status } = object
  const configured = configuredOf(object, fields.get(kind), intern)
  const sleeping = sleepingOf({ kind, configured })
  const { form } = sleeping
  const position = form.read(object, sleeping.field)
  const whenScaled =
    kind === 'statefulsets' ? spec?.persistentVolumeClaimRetentionPolicy?.whenScaled : undefined
  const trimmed = trimMetadata(kind, metadata, intern, sleeping)
  return {
    kind,
    ...trimmed,
    ...position,
    deletesVolumes: whenScaled === 'Delete',
    ...(whenScaled && whenScaled !== 'Delete' ? { keepsVolumesBy: intern(whenScaled) } : {}),
    pods: withTrouble(
      configured && isFollowed({ kind, configured })
        ? podsOfConfigured(object, position, sleeping)
        : podsOf(form, object, position),
      object,
    ),
    requests: effectiveRequests(spec?.template?.spec),
    ...(keepsPodLabels && { podLabels: podLabelsOf(object, trimmed.labels, intern) }),
    ...(configured && { configured }),
    ...(factsOf(kind).startsJobs && { lastScheduleTime: instantOf(status?.lastScheduleTime) }),
  }
}

function configuredOf(
  object: WorkloadObject,
  sleeping: Sleeping | undefined,
  intern: Intern,
): Configured | undefined {
  if (!sleeping) return undefined
  const { apiVersion = '', kind = '' } = object
  const scales = deploymentNamedBy(object)
  return { apiVersion: intern(apiVersion), kind: intern(kind), sleeping, ...(scales && { scales }) }
}

function deploymentNamedBy(object: WorkloadObject): string | undefined {
  const [kind, name] = ['kind', 'name'].map((each) => valueAt(object, `/spec/workloadRef/${each}`))
  return kind === 'Deployment' && typeof name === 'string' ? name : undefined
}

function instantOf(time: string | null | undefined): number | undefined {
  const instant = Date.parse(time ?? '')
  return Number.isNaN(instant) ? undefined : instant
}

/** The fields that come from the metadata alone, which is all that the answer to a patch has. */
export type TrimmedMetadata = Omit<
  Workload,
  | 'kind'
  | 'hasNodeSelector'
  | 'snoozeKey'
  | 'replicas'
  | 'found'
  | 'deletesVolumes'
  | 'pods'
  | 'requests'
  | 'podLabels'
  | 'lastScheduleTime'
  | 'configured'
>

export function trimMetadata(
  kind: Kind,
  metadata: ObjectMeta,
  intern: Intern = (text) => text,
  { form, field }: Sleeping = sleepingOf({ kind }),
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
    keptByOther: countOfOther(metadata.annotations?.[KEPT_BY_DOWNSCALERS]),
    formerRevision: kind === 'replicasets' && metadata.annotations?.[REVISION] !== undefined,
    tracksOwners: managedFields.length > 0,
    // Nobody asks who set a nodeSelector.
    replicasManager: form.countInSpec ? replicasManagerOf(field, managedFields, intern) : undefined,
    ...manifestCountOf(metadata, field),
    ownReplicasEntry: ownEntryOf(field, managedFields),
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

/** Often they are its own: then they cost nothing. */
function podLabelsOf(
  { spec }: WorkloadObject,
  own: Workload['labels'],
  intern: Intern,
): Record<string, string> {
  const labels = spec?.template?.metadata?.labels ?? {}
  return own && isDeepStrictEqual(own, labels) ? own : internValues(labels, intern)
}

function ownAnnotations(
  annotations: ObjectMeta['annotations'],
  intern: Intern,
): Partial<Record<AnnotationName, string>> {
  const kept: Partial<Record<AnnotationName, string>> = {}
  if (!annotations) return kept
  for (const name of ANNOTATION_NAMES) {
    const value = annotations[ANNOTATION[name]]
    if (value !== undefined) kept[name] = isOfState(name) ? value : intern(value)
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

function podsOf(form: Form, { metadata, status }: WorkloadObject, position: Position): Pods {
  const pods = form.pods(status ?? {}, position)
  if (!form.countsPods) return { ...pods, observedGeneration: metadata.generation ?? 0 }
  const observedGeneration = status?.observedGeneration ?? 0
  const written = statusWritten(metadata.managedFields)
  return { ...pods, observedGeneration, ...(written === undefined ? {} : { updatedAt: written }) }
}

function withTrouble(pods: Pods, { status }: WorkloadObject): Pods {
  const trouble = troubleIn(status?.conditions)
  return trouble === undefined ? pods : { ...pods, trouble }
}

/**
 * The status of a configured kind: its own words if the configuration knows them, else the field names that most kinds use.
 * One whose status counts nothing has as many pods ready as its spec asks for.
 */
function podsOfConfigured(
  object: WorkloadObject,
  position: Position,
  { asleepWhen, awakeWhen }: Sleeping,
): Pods {
  const { metadata, status } = object
  const { replicas, readyReplicas, observedGeneration } = (status ?? {}) as Readonly<Record<string, unknown>>
  const isCounted = typeof replicas === 'number' || typeof readyReplicas === 'number'
  // Argo Rollouts writes it as a string.
  const observed = Number(observedGeneration ?? metadata.generation ?? 0) || 0
  if (asleepWhen || awakeWhen) {
    const hasStopped = asleepWhen === undefined ? position.replicas === 0 : holds(asleepWhen, object)
    const isReady = !hasStopped && (awakeWhen === undefined || holds(awakeWhen, object))
    return {
      existing: hasStopped ? 0 : Math.max(position.replicas, 1),
      ready: isReady ? position.replicas : 0,
      observedGeneration: observed,
    }
  }
  return isCounted
    ? { existing: Number(replicas ?? 0), ready: Number(readyReplicas ?? 0), observedGeneration: observed }
    : { existing: 0, ready: position.replicas, observedGeneration: observed }
}

/** When the controller manager last wrote the status, to the second. */
function statusWritten(entries: readonly ManagedFieldsEntry[] = []): number | undefined {
  const entry = entries.find(
    ({ manager, subresource }) => subresource === 'status' && manager === CONTROLLER_MANAGER,
  )
  return entry?.time === undefined ? undefined : Date.parse(entry.time)
}

function replicasManagerOf(
  field: string,
  entries: readonly ManagedFieldsEntry[],
  intern: Intern,
): ReplicasManager | undefined {
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
    ...(newest.operation === 'Apply' ? { applies: true } : {}),
  }
}

/** The count in kubectl's last-applied-configuration, which may be 256 KiB long: read only for sleepers. */
function manifestCountOf(
  { annotations, labels }: ObjectMeta,
  field: string,
): Pick<Workload, 'manifestCount'> | undefined {
  const text = annotations?.[LAST_APPLIED]
  if (text === undefined || labels?.[ASLEEP_LABEL] === undefined) return undefined
  try {
    const count = valueAt(JSON.parse(text), field)
    return typeof count === 'number' ? { manifestCount: count } : undefined
  } catch {
    // Anybody may write that annotation.
    return undefined
  }
}

/** The index of our entry that owns the field at a JSON pointer, or a part of it; undefined: none does. */
export function ownEntryOf(field: string, entries: readonly ManagedFieldsEntry[]): number | undefined {
  const index = entries.findIndex(
    (entry) => entry.manager === FIELD_MANAGER && !entry.subresource && owns(entry, field),
  )
  return index === -1 ? undefined : index
}
