import type { Kind } from '../../src/domain/workload/workload.ts'
import type { Client } from '../control-plane/client.ts'
import { inParallel } from './eventually.ts'
import type { Kubectl } from './kubectl.ts'

/** A request that Dormouse sent to the API server. */
export interface SeenRequest {
  /** `write`: a patch, or the whole object, but of a Lease. */
  readonly verb: 'get' | 'list' | 'watch' | 'write' | 'create' | 'other'
  /** Path and query. */
  readonly url: string
  /** When it came, in milliseconds since the epoch. */
  readonly at: number
}

/** Permissions on workloads, like a rule of a Role. */
export interface Grant {
  readonly verbs: readonly string[]
  readonly resources: readonly string[]
  /** Only of workloads with these names. */
  readonly resourceNames?: readonly string[]
}

/** A cluster that the end-to-end tests run on: the sandbox or the real control plane. */
export interface Cluster {
  readonly name: string
  /** The version, which the end of the run prints. */
  readonly version?: string
  /** For features that the sandbox lacks, such as server-side apply. */
  readonly isReal: boolean
  /** Paths of kubeconfigs: of an administrator, and of Dormouse. */
  readonly adminKubeconfig: string
  readonly dormouseKubeconfig: string
  /** The kubeconfig of a person with a client certificate, who may do nothing yet; the sandbox knows no such people. */
  readonly personKubeconfig?: (name: string, ...groups: string[]) => Promise<string>
  /** As the administrator. */
  readonly kubectl: Kubectl
  readonly admin: Client
  /** Creates the objects. */
  create(namespace: string, objects: readonly WorkloadManifest[]): Promise<void>
  /** The API server goes down as in a crash; `startApiServer` brings it back at the same address with its data. */
  stopApiServer(): Promise<void>
  startApiServer(): Promise<void>
  /** Forbids Dormouse to list and watch this kind, until the function returned is called. */
  refuse(kind: Kind): Promise<() => Promise<void>>
  /** Dormouse's requests since an instant. */
  requestsSince(since: number): Promise<SeenRequest[]>
  /**
   * Creates a service account that may do only this in `namespace`; returns its token for the audience
   * `dormouse`.
   */
  accountToken(namespace: string, account: string, ...grants: readonly Grant[]): Promise<string>
}

export interface WorkloadManifest {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: {
    readonly name: string
    readonly labels?: Readonly<Record<string, string>>
    readonly annotations?: Readonly<Record<string, string>>
  }
  readonly spec: object
}

/** Creates workloads in a namespace, some at a time. */
export async function createIn(
  admin: Client,
  namespace: string,
  objects: readonly WorkloadManifest[],
): Promise<void> {
  await inParallel(objects, (object) =>
    admin.expect(
      'POST',
      `/apis/${object.apiVersion}/namespaces/${namespace}/${object.kind.toLowerCase()}s`,
      object,
    ),
  )
}
