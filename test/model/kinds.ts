import { apiVersionOf, isBuiltIn } from '../../src/domain/kinds.ts'
import { KINDS, type Kind, type Workload } from '../../src/domain/workload/workload.ts'
import type { WorkloadObject } from '../../src/kubernetes/api-object.ts'
import { trim } from '../../src/kubernetes/trim.ts'
import { dormouse as account } from '../control-plane/dormouse-account.ts'
import type { Cluster, WorkloadManifest } from '../support/cluster.ts'
import { manifest, type ManifestOptions } from '../support/manifests.ts'

/** A kind of the configuration, with nobody who acts on it. */
const BOATS = 'boats.model.example.com'
const [GROUP, VERSION] = ['model.example.com', 'v1beta1']
/** All kinds of the scenarios. */
export const PLAYED: readonly Kind[] = [...KINDS, BOATS]

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const RBAC = '/apis/rbac.authorization.k8s.io/v1'
const OPEN = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } as const

const DEFINITION = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: BOATS },
  spec: {
    group: GROUP,
    scope: 'Namespaced',
    names: { plural: 'boats', singular: 'boat', kind: 'Boat', listKind: 'BoatList' },
    versions: [
      {
        name: VERSION,
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', properties: { spec: OPEN, status: OPEN } } },
        subresources: {
          status: {},
          scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
        },
      },
    ],
  },
}

/** The configuration's `kinds`. */
export const CONFIGURED = [{ resource: BOATS }]
const FIELDS = new Map<Kind, string>([[BOATS, '/spec/replicas']])

/** Defines the configured kind, with the rights that the chart would give Dormouse on a real cluster. */
export async function defineBoats({ admin, isReal }: Cluster): Promise<void> {
  await admin.expect('POST', DEFINITIONS, DEFINITION)
  if (!isReal) return
  const [metadata, apiGroup] = [{ name: GROUP }, 'rbac.authorization.k8s.io']
  const rules = [{ apiGroups: [GROUP], resources: ['*'], verbs: ['get', 'list', 'watch', 'patch'] }]
  const subjects = [{ kind: 'ServiceAccount', name: account.name, namespace: account.namespace }]
  const roleRef = { apiGroup, kind: 'ClusterRole', name: GROUP }
  await admin.expect('POST', `${RBAC}/clusterroles`, { metadata, rules })
  await admin.expect('POST', `${RBAC}/clusterrolebindings`, { metadata, roleRef, subjects })
}

export async function undefineBoats({ admin }: Cluster): Promise<void> {
  await admin.send('DELETE', `${DEFINITIONS}/${BOATS}`)
  await admin.send('DELETE', `${RBAC}/clusterrolebindings/${GROUP}`)
  await admin.send('DELETE', `${RBAC}/clusterroles/${GROUP}`)
}

export function collectionOf(kind: Kind, namespace: string): string {
  if (isBuiltIn(kind)) return `/apis/${apiVersionOf(kind)}/namespaces/${namespace}/${kind}`
  return `/apis/${GROUP}/${VERSION}/namespaces/${namespace}/boats`
}

export function manifestOf(kind: Kind, name: string, options: ManifestOptions): WorkloadManifest {
  const object = manifest(kind, name, options)
  return isBuiltIn(kind) ? object : { ...object, apiVersion: `${GROUP}/${VERSION}`, kind: 'Boat' }
}

/** The object as the product reads it. */
export function trimmed(kind: Kind, object: WorkloadObject): Workload {
  return trim(kind, object, undefined, FIELDS)
}
