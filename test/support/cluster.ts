import type { Kind } from '../../src/domain/workload.ts'
import type { Client } from '../control-plane/client.ts'
import { inParallel } from './eventually.ts'
import type { Kubectl } from './kubectl.ts'

/** A request that Dormouse sent to the API server. */
export interface SeenRequest {
  readonly verb: 'get' | 'list' | 'watch' | 'patch' | 'create' | 'other'
  /** Path and query. */
  readonly url: string
  /** When it came, in milliseconds since the epoch. */
  readonly at: number
}

/** What may be done with workloads, as a Role has it. */
export interface Grant {
  readonly verbs: readonly string[]
  readonly resources: readonly string[]
}

/** A cluster that the end-to-end tests run on: the sandbox or the real control plane. */
export interface Cluster {
  readonly name: string
  /** What runs there, for the end of the run. */
  readonly version?: string
  /** How a failure or a difference is judged: the sandbox has no server-side apply, for one. */
  readonly isReal: boolean
  /** Paths of kubeconfigs: of an administrator that is not Dormouse, and of Dormouse. */
  readonly adminKubeconfig: string
  readonly dormouseKubeconfig: string
  /** As the administrator. */
  readonly kubectl: Kubectl
  readonly admin: Client
  /** Creates the objects, all of one kind, at the given path's collection. */
  create(namespace: string, objects: readonly WorkloadManifest[]): Promise<void>
  /** The API server goes away as in a crash, and comes back at the same place with its data. */
  stopApiServer(): Promise<void>
  startApiServer(): Promise<void>
  /** Dormouse may no longer begin to list or watch this kind, until what is returned is called. */
  refuse(kind: Kind): Promise<() => Promise<void>>
  /** What Dormouse asked since `since`, an instant. */
  requestsSince(since: number): Promise<SeenRequest[]>
  /** A service account of `namespace` that may do just this there, and its token for the audience `dormouse`. */
  accountToken(namespace: string, account: string, grant: Grant): Promise<string>
}

export interface WorkloadManifest {
  readonly apiVersion: 'apps/v1'
  readonly kind: 'Deployment' | 'StatefulSet' | 'DaemonSet' | 'ReplicaSet'
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
    admin.expect('POST', `/apis/apps/v1/namespaces/${namespace}/${object.kind.toLowerCase()}s`, object),
  )
}
