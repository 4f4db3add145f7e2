import type { KubernetesClient } from './client.ts'
import { ClusterRefusal, onStatus } from './failures.ts'

/** Names one object. */
export interface ObjectName {
  readonly namespace: string
  readonly name: string
}

/** `applied`: the Job is one of many objects that somebody applied; `unclear`: nothing proves an uninstall. */
export type Starter =
  { readonly kind: 'uninstall' } | { readonly kind: 'applied' | 'unclear'; readonly why: string }

/** The part of an object that says who wrote it. */
export interface Written {
  readonly metadata: {
    readonly creationTimestamp?: string
    readonly annotations?: Readonly<Record<string, string>>
    readonly managedFields?: readonly {
      readonly manager?: string
      readonly operation?: string
      readonly subresource?: string
      readonly fieldsV1?: object
    }[]
  }
}

/** `kubectl apply` writes it on the client; Helm never does. */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration'
/** Helm adds it to what it installs, hooks excepted; it is in no rendered chart. */
const RELEASE_NAME = 'meta.helm.sh/release-name'
const ITS_OWNER = ['f:metadata', 'f:annotations', `f:${RELEASE_NAME}`]
/** Never changed after a Job's creation, so its owners created or applied the Job. */
const CONTAINERS = ['f:spec', 'f:template', 'f:spec', 'f:containers']
/** Programs with Helm inside name themselves: `helm`, `helm-controller` of Flux, `terraform-provider-helm_v3.0.2`. */
const HELM = /helm/i
/** They may own Helm's annotation, since they bring objects from elsewhere, but have no Helm inside. */
const NEVER_HELM = /^(?:kubectl|kustomize|argocd|velero)/i
/** A backup brings Lease and Job back in one go, whatever the program's name. */
const AT_ONCE = 3_600_000

/**
 * The starter of this Job. Helm's uninstall creates a hook itself, beside a Lease that it installed; only these two facts
 * together are proof, since a chart that is rendered and applied has the same Job.
 * @throws ClusterRefusal when the cluster does not answer
 */
export async function starterOf(
  client: Pick<KubernetesClient, 'call'>,
  { job, lease }: { readonly job: ObjectName; readonly lease: ObjectName },
): Promise<Starter> {
  const read = ({ namespace, name }: ObjectName, api: string, resource: string) => {
    const path = `/apis/${api}/namespaces/${encodeURIComponent(namespace)}/${resource}/${encodeURIComponent(name)}`
    return client.call<Written>({ method: 'GET', resource, path }).catch(onStatus([404], undefined))
  }
  try {
    return decideStarter(
      await read(job, 'batch/v1', 'jobs'),
      await read(lease, 'coordination.k8s.io/v1', 'leases'),
    )
  } catch (error) {
    if (error instanceof ClusterRefusal && error.status === 403) return unclear(error.message)
    throw error
  }
}

/** undefined: it is not there. */
export function decideStarter(job: Written | undefined, lease: Written | undefined): Starter {
  if (!job) return unclear('that Job is not there')
  if (job.metadata.annotations?.[LAST_APPLIED] !== undefined) return applied('kubectl or a program like it')
  const creators = writersOf(job, CONTAINERS)
  if (creators.length === 0) return unclear('the Job does not say who created it')
  const installers = lease ? writersOf(lease, ITS_OWNER).map(({ manager }) => manager) : []
  const isInstaller = (manager: string) => installers.includes(manager) && !NEVER_HELM.test(manager)
  const isHelm = (manager: string) => HELM.test(manager) && !NEVER_HELM.test(manager)
  const other = creators.find(({ manager }) => !isHelm(manager) && !isInstaller(manager))
  if (other?.operation === 'Apply') return applied(other.manager)
  if (other) return unclear(`${other.manager} created the Job`)
  if (!lease) return unclear('the Lease is not there')
  if (lease.metadata.annotations?.[RELEASE_NAME] === undefined)
    return unclear(`the Lease was not installed by Helm: it has no annotation ${RELEASE_NAME}`)
  const odd = creators.find(({ manager }) => !isHelm(manager))
  if (odd && !(createdAt(job) - createdAt(lease) >= AT_ONCE))
    return unclear(
      `${odd.manager} created the Job within an hour of the Lease, as a backup does that brings both back`,
    )
  return { kind: 'uninstall' }
}

/** NaN: it does not say when. */
function createdAt({ metadata: { creationTimestamp = '' } }: Written): number {
  return Date.parse(creationTimestamp)
}

/** The owner of the field at this path. */
function writersOf({ metadata }: Written, path: readonly string[]) {
  return (metadata.managedFields ?? [])
    .filter(({ fieldsV1 }) => has(fieldsV1, path))
    .map(({ manager = 'somebody', operation }) => ({ manager, operation }))
}

function has(fields: unknown, [first, ...rest]: readonly string[]): boolean {
  if (first === undefined) return true
  if (typeof fields !== 'object' || fields === null || !Object.hasOwn(fields, first)) return false
  return has((fields as Readonly<Record<string, unknown>>)[first], rest)
}

function applied(by: string): Starter {
  return { kind: 'applied', why: `${by} applied the Job` }
}

function unclear(why: string): Starter {
  return { kind: 'unclear', why }
}
