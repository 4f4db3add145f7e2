import { isDeepStrictEqual } from 'node:util'
import { factsOf } from '../../src/domain/kinds.ts'
import {
  ANNOTATION,
  FIELD_MANAGER,
  KEPT_BY_DOWNSCALERS,
  SNOOZE_KEY,
  type AnnotationName,
  type Kind,
  type Workload,
} from '../../src/domain/workload/workload.ts'
import type { ManagedFieldsEntry, WorkloadObject } from '../../src/kubernetes/api-object.ts'

const REVISION = 'deployment.kubernetes.io/revision'

/**
 * The object as the API server would store it, from which `trim` makes this workload; facts that only this process
 * knows are lost.
 */
export function objectOf(workload: Workload): WorkloadObject {
  const { kind, namespace, name, uid, resourceVersion, generation, owner, labels, requests } = workload
  const { snoozeKey, hasNodeSelector, replicas } = workload
  const nodeSelector = snoozeKey === undefined ? {} : { [SNOOZE_KEY]: snoozeKey }
  const template = {
    spec: {
      containers: [
        { resources: { requests: { cpu: String(requests.cpu), memory: String(requests.memory) } } },
      ],
      ...(hasNodeSelector || snoozeKey !== undefined ? { nodeSelector } : {}),
    },
  }
  return {
    metadata: {
      namespace,
      name,
      uid,
      resourceVersion,
      generation,
      creationTimestamp: new Date(workload.createdAt).toISOString(),
      ...(workload.deleting ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}),
      ...(owner ? { ownerReferences: [{ ...owner, controller: true }] } : {}),
      ...(labels ? { labels } : {}),
      ...(workload.hasAnnotations || workload.formerRevision ? { annotations: annotationsOf(workload) } : {}),
      managedFields: managedFieldsOf(workload),
    },
    spec: {
      ...specOf(kind, replicas),
      ...(workload.deletesVolumes ? { persistentVolumeClaimRetentionPolicy: { whenScaled: 'Delete' } } : {}),
      template,
    },
    status: statusOf(workload),
  }
}

/** The API server's changes of a patched object: its version, its generation, and the owner of the count. */
export function afterPatch(
  kind: Kind,
  before: WorkloadObject,
  patched: WorkloadObject,
  version: number,
): WorkloadObject {
  const { metadata, spec } = patched
  const { annotations = {}, labels = {}, managedFields = [], ...others } = metadata
  const respecified = !isDeepStrictEqual(spec, before.spec)
  return {
    ...patched,
    metadata: {
      ...others,
      resourceVersion: String(version),
      generation: (before.metadata.generation ?? 0) + (respecified ? 1 : 0),
      // An empty map is none.
      ...(Object.keys(annotations).length > 0 ? { annotations } : {}),
      ...(Object.keys(labels).length > 0 ? { labels } : {}),
      managedFields: respecified ? ownedByUs(kind, managedFields, version) : managedFields,
    },
  }
}

/** A writer of the count becomes its only owner. */
function ownedByUs(
  kind: Kind,
  entries: readonly ManagedFieldsEntry[],
  version: number,
): ManagedFieldsEntry[] {
  const others = entries.filter(({ manager, subresource }) => manager !== FIELD_MANAGER || subresource)
  const time = new Date(Date.parse('2026-02-01T00:00:00Z') + version).toISOString()
  return [...others.map(withoutFields), { manager: FIELD_MANAGER, time, fieldsV1: countField(kind) }]
}

function withoutFields(entry: ManagedFieldsEntry): ManagedFieldsEntry {
  return { ...entry, fieldsV1: {} }
}

/** The managed field of the count (DaemonSet: the nodeSelector). */
function countField(kind: Kind): NonNullable<ManagedFieldsEntry['fieldsV1']> {
  const names = factsOf(kind).field.split('/').slice(1)
  return names.reduceRight((inner, name) => ({ [`f:${name}`]: inner }), {})
}

function annotationsOf({
  annotations,
  formerRevision,
  keptByOther,
  otherAnnotationBytes,
}: Workload): Record<string, string> {
  const ours = Object.entries(annotations).map(([name, text]) => [ANNOTATION[name as AnnotationName], text])
  return {
    ...Object.fromEntries(ours),
    ...(formerRevision ? { [REVISION]: '1' } : {}),
    ...(keptByOther === undefined ? {} : { [KEPT_BY_DOWNSCALERS]: keptByOther }),
    ...(otherAnnotationBytes > 0 ? { x: 'x'.repeat(otherAnnotationBytes - 1) } : {}),
  }
}

function managedFieldsOf(workload: Workload): ManagedFieldsEntry[] {
  const { replicasManager, ownReplicasEntry, pods } = workload
  const entries: ManagedFieldsEntry[] = []
  if (ownReplicasEntry !== undefined) {
    for (let index = 0; index < ownReplicasEntry; index++) entries.push({ manager: `client-${index}` })
    entries.push({
      manager: FIELD_MANAGER,
      time: '2026-01-01T00:00:00Z',
      fieldsV1: countField(workload.kind),
    })
  }
  if (replicasManager && (ownReplicasEntry === undefined || replicasManager.manager !== FIELD_MANAGER)) {
    const { manager, subresource } = replicasManager
    const fieldsV1 = countField(workload.kind)
    const time = '2026-01-01T00:00:01Z'
    entries.push({ manager, time, fieldsV1, ...(subresource === undefined ? {} : { subresource }) })
  }
  if (pods.updatedAt !== undefined) {
    const time = new Date(pods.updatedAt).toISOString()
    entries.push({ manager: 'kube-controller-manager', subresource: 'status', time })
  }
  return entries
}

function specOf(kind: Kind, replicas: number): object {
  if (kind === 'cronjobs') return { suspend: replicas === 0 }
  return kind === 'daemonsets' ? {} : { replicas }
}

function statusOf(workload: Workload): NonNullable<WorkloadObject['status']> {
  const { kind, replicas, pods, lastScheduleTime } = workload
  if (kind === 'cronjobs')
    return lastScheduleTime === undefined
      ? {}
      : { lastScheduleTime: new Date(lastScheduleTime).toISOString() }
  const { existing, ready, observedGeneration, trouble } = pods
  const failure = { type: 'ReplicaFailure', status: 'True', reason: trouble?.code, message: trouble?.message }
  return kind === 'daemonsets'
    ? {
        desiredNumberScheduled: replicas,
        currentNumberScheduled: existing,
        numberReady: ready,
        observedGeneration,
      }
    : {
        replicas: existing,
        readyReplicas: ready,
        observedGeneration,
        ...(trouble && { conditions: [failure] }),
      }
}
