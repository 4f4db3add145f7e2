import type { Change } from '../../src/domain/patch.ts'
import { keyOf, type Kind, type Workload, type WorkloadKey } from '../../src/domain/workload.ts'
import { Refusal } from '../../src/errors.ts'
import type { ClusterUser, ResourceAccess, Reviews, Workloads, Writer } from '../../src/api/ports.ts'

type Listener = Parameters<Workloads['onChange']>[0]

/** A deployment `shop/web` of three ready pods that nobody manages, but for what is given. */
export function aWorkload(given: Partial<Workload> = {}): Workload {
  const replicas = given.replicas ?? 3
  const annotations = given.annotations ?? {}
  return {
    kind: 'deployments',
    namespace: 'shop',
    name: 'web',
    uid: `uid-${given.kind ?? 'deployments'}-${given.namespace ?? 'shop'}-${given.name ?? 'web'}`,
    resourceVersion: '1',
    generation: 1,
    createdAt: Date.parse('2026-01-01T00:00:00Z'),
    deleting: false,
    owner: undefined,
    labels: undefined,
    annotations,
    hasAnnotations: Object.keys(annotations).length > 0,
    otherAnnotationBytes: 0,
    formerRevision: false,
    deletesVolumes: false,
    hasNodeSelector: false,
    snoozeKey: undefined,
    replicas,
    pods: { existing: replicas, ready: replicas, observedGeneration: 1 },
    replicasManager: undefined,
    ownReplicasEntry: undefined,
    requests: { cpu: 0, memory: 0 },
    ...given,
  }
}

/** The ports of the API over a map: an informer that is never late, and a cluster that never says no. */
export class FakeCluster implements Workloads, Writer, Reviews {
  /** Kinds whose copies are not current. */
  readonly away = new Set<Kind>()
  writes = 0
  reviews = 0
  /** Thrown by whatever asks the cluster itself. */
  failure: Error | undefined
  readonly #copies = new Map<string, Workload>()
  /** What a live read finds and the informer leaves out. */
  readonly #unlisted = new Map<string, Workload>()
  readonly #listeners: Listener[] = []
  readonly users = new Map<string, ClusterUser>()
  allows: (user: ClusterUser, access: ResourceAccess) => boolean = () => true
  readonly asked: ResourceAccess[] = []
  /** Awaited before an access review is answered. */
  answering: (access: ResourceAccess) => Promise<void> = async () => undefined

  put(workload: Workload): void {
    const before = this.#copies.get(keyOf(workload))
    this.#copies.set(keyOf(workload), workload)
    for (const listener of this.#listeners) listener(before, workload)
  }

  putUnlisted(workload: Workload): void {
    this.#unlisted.set(keyOf(workload), workload)
  }

  remove(key: WorkloadKey): void {
    const before = this.#copies.get(keyOf(key))
    this.#copies.delete(keyOf(key))
    for (const listener of this.#listeners) listener(before, undefined)
  }

  /** The pods do what the spec says. */
  podsFollow(key: WorkloadKey): void {
    const workload = this.mustGet(key)
    const count = workload.snoozeKey === undefined ? workload.replicas : 0
    this.put({
      ...workload,
      pods: { existing: count, ready: count, observedGeneration: workload.generation },
    })
  }

  isConnected(kind: Kind): boolean {
    return !this.away.has(kind)
  }

  get(key: WorkloadKey): Workload | undefined {
    return this.#copies.get(keyOf(key))
  }

  mustGet(key: WorkloadKey): Workload {
    const workload = this.get(key)
    if (!workload) throw new TypeError(`no ${keyOf(key)}`)
    return workload
  }

  *list(namespace?: string, kind?: Kind): Iterable<Workload> {
    for (const workload of this.#copies.values()) {
      if (namespace !== undefined && workload.namespace !== namespace) continue
      if (kind === undefined || workload.kind === kind) yield workload
    }
  }

  onChange(listener: Listener): void {
    this.#listeners.push(listener)
  }

  snapshot(): string {
    return JSON.stringify([...this.#copies])
  }

  async read(key: WorkloadKey): Promise<Workload | undefined> {
    if (this.failure) throw this.failure
    return this.#copies.get(keyOf(key)) ?? this.#unlisted.get(keyOf(key))
  }

  async write<P extends { readonly change: Change | undefined; readonly after?: Workload }>(
    key: WorkloadKey,
    plan: (workload: Workload) => P,
  ): Promise<{ plan: P; workload: Workload; wrote: boolean }> {
    const workload = await this.read(key)
    if (!workload) throw new Refusal('NOT_FOUND', `there is no ${keyOf(key)}`)
    const planned = plan(workload)
    if (!planned.change) return { plan: planned, workload, wrote: false }
    this.writes += 1
    const after = {
      ...(planned.after ?? workload),
      resourceVersion: String(Number(workload.resourceVersion) + 1),
    }
    this.put(after)
    return { plan: planned, workload: after, wrote: true }
  }

  async authenticate(token: string): Promise<ClusterUser | undefined> {
    this.reviews += 1
    if (this.failure) throw this.failure
    return this.users.get(token)
  }

  /** The cluster shows no keys, unless a test gives it some. */
  showKeys: () => Promise<unknown> = () => Promise.reject(new Error('forbidden'))

  async keys(): Promise<unknown> {
    return await this.showKeys()
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
