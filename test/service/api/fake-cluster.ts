import type { Change } from '../../../src/domain/workload/patch.ts'
import { keyOf, type Kind, type Workload, type WorkloadKey } from '../../../src/domain/workload/workload.ts'
import type { ClusterUser, ResourceAccess, Reviews, Writer } from '../../../src/kubernetes/ports.ts'
import { FakeCluster as Cluster, type Writing } from '../../support/fake-cluster.ts'
import { aDeployment } from '../../support/workloads.ts'

/** A deployment `shop/web` of three ready pods that nobody manages, but for what is given. */
export function aWorkload(given: Partial<Workload> = {}): Workload {
  const { kind = 'deployments', namespace = 'shop', name = 'web', annotations = {}, replicas = 3 } = given
  return aDeployment(`${namespace}/${name}`).with({
    uid: `uid-${kind}-${namespace}-${name}`,
    resourceVersion: '1',
    createdAt: Date.parse('2026-01-01T00:00:00Z'),
    hasAnnotations: Object.keys(annotations).length > 0,
    replicas,
    pods: { existing: replicas, ready: replicas, observedGeneration: 1 },
    ...given,
  })
}

/** The cluster as the API asks it, reviews of tokens and rights included; its informer is never late. */
export class FakeCluster extends Cluster implements Writer, Reviews {
  /** Kinds whose copies are not current. */
  readonly away = new Set<Kind>()
  reviews = 0
  /** Thrown by whatever asks the cluster itself. */
  failure: Error | undefined
  readonly users = new Map<string, ClusterUser>()
  allows: (user: ClusterUser, access: ResourceAccess) => boolean = () => true
  readonly asked: ResourceAccess[] = []
  /** Awaited before an access review is answered. */
  answering: (access: ResourceAccess) => Promise<void> = async () => undefined

  get writes(): number {
    return this.patches.length
  }

  override isConnected(kind: Kind): boolean {
    return !this.away.has(kind)
  }

  mustGet(key: WorkloadKey): Workload {
    const workload = this.get(key)
    if (!workload) throw new TypeError(`no ${keyOf(key)}`)
    return workload
  }

  snapshot(): string {
    return JSON.stringify([...this.list()])
  }

  async read(key: WorkloadKey): Promise<Workload | undefined> {
    if (this.failure) throw this.failure
    return this.find(key)
  }

  override async write<P extends { readonly change: Change | undefined }>(...args: Writing<P>) {
    if (this.failure) throw this.failure
    return super.write<P>(...args)
  }

  async authenticate(token: string): Promise<ClusterUser | undefined> {
    this.reviews += 1
    if (this.failure) throw this.failure
    return this.users.get(token)
  }

  async authorize(user: ClusterUser, access: ResourceAccess): Promise<boolean> {
    this.asked.push(access)
    if (this.failure) throw this.failure
    await this.answering(access)
    return this.allows(user, access)
  }
}

export function aUser(username: string): ClusterUser {
  return { username, uid: `uid-${username}`, groups: ['developers'], extra: {} }
}
