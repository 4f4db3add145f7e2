import type { ManagedFieldsEntry, ObjectMeta, WorkloadObject } from '../../src/kubernetes/api-object.ts'
import { trim } from '../../src/kubernetes/trim.ts'
import type { Kind, Workload, WorkloadKey } from '../../src/domain/workload/workload.ts'

export const WEB: WorkloadKey = { kind: 'deployments', namespace: 'shop', name: 'web' }

type Parts = Partial<ObjectMeta> & { replicas?: number; ready?: number }

/** A Deployment of namespace shop as the API server would send it. */
export function deployment(
  name: string,
  { replicas = 3, ready = replicas, ...metadata }: Parts = {},
): WorkloadObject {
  return {
    metadata: {
      name,
      namespace: 'shop',
      uid: `uid-${name}`,
      resourceVersion: '10',
      generation: 1,
      creationTimestamp: '2026-01-05T08:00:00Z',
      ...metadata,
    },
    spec: { replicas, template: { spec: { containers: [{ resources: { requests: { cpu: '100m' } } }] } } },
    status: { observedGeneration: 1, replicas: ready, readyReplicas: ready },
  }
}

export function workload(name: string, parts: Parts = {}, kind: Kind = 'deployments'): Workload {
  return trim(kind, deployment(name, parts))
}

export function ownsReplicas(manager: string, entry: Partial<ManagedFieldsEntry> = {}): ManagedFieldsEntry {
  return { manager, time: '2026-01-05T08:00:00Z', fieldsV1: { 'f:spec': { 'f:replicas': {} } }, ...entry }
}
