import type { Kind, WorkloadKey } from '../domain/workload/workload.ts'
import type { WorkloadObject } from './api-object.ts'
import type { Sink } from './reflector.ts'
import type { WorkloadStore } from './store.ts'
import { trim, type ConfiguredFields, type Intern } from './trim.ts'

/**
 * Puts the objects of one kind into the store, trimmed. ReplicaSets with a controller owner are left out:
 * they carry copies of their Deployment's annotations.
 */
export function workloadSink(
  kind: Kind,
  store: WorkloadStore,
  intern: Intern,
  fields?: ConfiguredFields,
): Sink<WorkloadObject> {
  return {
    put(object, outranks) {
      if (isOwnedReplicaSet(kind, object)) store.delete(keyFrom(kind, object))
      else store.put(trim(kind, object, intern, fields), outranks)
    },
    delete(object) {
      const { uid, resourceVersion } = object.metadata
      store.delete({ ...keyFrom(kind, object), uid, resourceVersion })
    },
    retain(listed, outranks) {
      for (const workload of store.list(undefined, kind)) {
        const isListed = listed.has(`${workload.namespace}/${workload.name}`)
        if (!isListed && outranks(workload.resourceVersion)) store.delete(workload)
      }
    },
  }
}

function isOwnedReplicaSet(kind: Kind, { metadata }: WorkloadObject): boolean {
  return (
    kind === 'replicasets' && metadata.ownerReferences?.some(({ controller }) => controller === true) === true
  )
}

function keyFrom(kind: Kind, { metadata }: WorkloadObject): WorkloadKey {
  return { kind, namespace: metadata.namespace ?? '', name: metadata.name }
}
