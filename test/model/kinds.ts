import { apiVersionOf, isBuiltIn } from '../../src/domain/kinds.ts'
import { sleepingOf } from '../../src/domain/sleeping/forms.ts'
import { KINDS, type Kind, type Workload } from '../../src/domain/workload/workload.ts'
import type { WorkloadObject } from '../../src/kubernetes/api-object.ts'
import { trim } from '../../src/kubernetes/trim.ts'
import type { Cluster, WorkloadManifest } from '../support/cluster.ts'
import { defineKind, mayManage, mayNoLongerManage, undefineKind } from '../support/custom-kinds.ts'
import { manifest, type ManifestOptions } from '../support/manifests.ts'

/** A kind of the configuration, with nobody who acts on it. */
const BOATS = 'boats.model.example.com'
const [GROUP, VERSION] = ['model.example.com', 'v1beta1']
/** All kinds of the scenarios. */
export const PLAYED: readonly Kind[] = [...KINDS, BOATS]

const BOAT = { group: GROUP, plural: 'boats', kind: 'Boat', version: VERSION, countPath: '.spec.replicas' }

/** The configuration's `kinds`. */
export const CONFIGURED = [{ resource: BOATS }]
const FIELDS = new Map([[BOATS, sleepingOf({ kind: BOATS })] as const])

/** Defines the configured kind, with the rights that the chart would give Dormouse on a real cluster. */
export async function defineBoats(cluster: Cluster): Promise<void> {
  await defineKind(cluster, BOAT)
  if (cluster.isReal) await mayManage(cluster, GROUP)
}

export async function undefineBoats(cluster: Cluster): Promise<void> {
  await undefineKind(cluster, BOAT)
  await mayNoLongerManage(cluster, GROUP)
}

export function collectionOf(kind: Kind, namespace: string): string {
  if (isBuiltIn(kind)) return `/apis/${apiVersionOf(kind)}/namespaces/${namespace}/${kind}`
  return `/apis/${GROUP}/${VERSION}/namespaces/${namespace}/boats`
}

export function hpasIn(namespace: string): string {
  return `/apis/autoscaling/v2/namespaces/${namespace}/horizontalpodautoscalers`
}

export function manifestOf(kind: Kind, name: string, options: ManifestOptions): WorkloadManifest {
  const object = manifest(kind, name, options)
  return isBuiltIn(kind) ? object : { ...object, apiVersion: `${GROUP}/${VERSION}`, kind: 'Boat' }
}

/** The object as the product reads it. */
export function trimmed(kind: Kind, object: WorkloadObject): Workload {
  return trim(kind, object, undefined, FIELDS)
}
