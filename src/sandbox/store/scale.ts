import { count, isRecord } from './object.ts'
import type { KubeObject, StoredObject } from './object.ts'
import { serverFields } from './preparation.ts'
import type { Resource } from './resources.ts'
import { selectorText } from './selectors.ts'
import { badRequest, invalid, wrong } from './status.ts'

/** A workload's scale subresource, an `autoscaling/v1` Scale. */
export function toScale(workload: KubeObject): KubeObject {
  const { generation: _generation, ...metadata } = serverFields(workload.metadata)
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata,
    spec: { replicas: workload.spec?.replicas ?? 0 },
    status: { replicas: count(workload.status, 'replicas'), selector: selectorText(workload.spec?.selector) },
  }
}

/** The workload as a Scale would change it. @throws StatusError 400, 422 */
export function fromScale(resource: Resource, workload: StoredObject, scale: unknown): KubeObject {
  if (!isRecord(scale) || !isRecord(scale['metadata'])) throw badRequest('the request body is not a Scale')
  const { name = workload.metadata.name, resourceVersion, uid } = scale['metadata']
  if (name !== workload.metadata.name)
    throw badRequest(
      `the name of the object (${String(name)}) does not match the name on the URL (${workload.metadata.name})`,
    )
  const replicas = isRecord(scale['spec']) ? (scale['spec']['replicas'] ?? 0) : 0
  if (typeof replicas !== 'number' || !Number.isSafeInteger(replicas))
    throw badRequest('Scale in version "v1" cannot be handled as a Scale: spec.replicas: expected int32')
  if (replicas < 0)
    throw invalid({ ...resource, kind: 'Scale', group: 'autoscaling' }, workload.metadata.name, [
      wrong('spec.replicas', replicas, 'must be greater than or equal to 0'),
    ])
  return {
    ...workload,
    metadata: {
      ...workload.metadata,
      ...(typeof resourceVersion === 'string' ? { resourceVersion } : {}),
      ...(typeof uid === 'string' ? { uid } : {}),
    },
    spec: { ...workload.spec, replicas },
  }
}
