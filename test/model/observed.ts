import type { Instant } from '../../src/process/clock.ts'
import { INHERITED_ANNOTATIONS, type Namespace } from '../../src/domain/policy/inheritance.ts'
import { ANNOTATION, keyOf, type Kind, type WorkloadKey } from '../../src/domain/workload/workload.ts'
import type { KubernetesObject } from '../../src/kubernetes/api-object.ts'
import { scaledObjectsIn } from '../keda/operator.ts'
import type { Cluster } from '../support/cluster.ts'
import { collectionOf, hpasIn, PLAYED } from './kinds.ts'

/** A workload's object, as much as the scenarios look at. */
export interface Seen {
  readonly metadata: {
    readonly name: string
    readonly namespace: string
    readonly uid: string
    readonly resourceVersion: string
    readonly generation: number
    readonly annotations?: Readonly<Record<string, string>>
    readonly labels?: Readonly<Record<string, string>>
    readonly [field: string]: unknown
  }
  readonly spec: {
    readonly replicas?: number
    readonly suspend?: boolean
    readonly template?: { readonly spec: { readonly nodeSelector?: Readonly<Record<string, string>> } }
    readonly [field: string]: unknown
  }
  readonly status?: object
}

interface WatchEvent {
  readonly type: string
  readonly object: Seen
}

/** One version of an object; `gone`: its deletion. */
export interface Version {
  /** When the watch delivered it, by the scenario's clock. */
  readonly at: Instant
  readonly object: Seen
  readonly gone: boolean
}

/** All ScaledObjects, or HPAs, of the namespace, as they were from then on. */
export interface ScalersVersion {
  readonly at: Instant
  readonly byName: Scalers
}

/** ScaledObjects, or HPAs, by name. */
export type Scalers = ReadonlyMap<string, KubernetesObject>

/** One version of the Namespace. */
interface NamespaceVersion {
  readonly at: Instant
  readonly namespace: Namespace
}

/** Every version of a namespace and of every workload in it, by watches of the test's own. */
export class Observed {
  readonly #versions = new Map<string, Version[]>()
  readonly #stopped = new AbortController()
  readonly #now: () => Instant
  /** The versions of the Namespace itself, oldest first. */
  readonly namespaces: NamespaceVersion[] = []
  /** ScaledObjects, oldest first. */
  readonly scalers: ScalersVersion[] = []
  /** HPAs, oldest first. */
  readonly hpas: ScalersVersion[] = []
  #runs: Promise<void>[] = []
  #changed = performance.now()

  constructor(now: () => Instant) {
    this.#now = now
  }

  /** The namespace has no workload yet: a watch without a version begins with the present objects. */
  watch(cluster: Cluster, namespace: string): void {
    const kinds = PLAYED.map((kind) => {
      const path = `${collectionOf(kind, namespace)}?watch=1`
      return this.#follow(cluster, path, (event) => this.#take(kind, event))
    })
    const one = `/api/v1/namespaces?watch=1&fieldSelector=metadata.name%3D${namespace}`
    this.#runs = [
      ...kinds,
      this.#follow(cluster, one, (event) => this.#takeNamespace(event)),
      ...this.#beside(namespace).map(([path, versions]) =>
        this.#follow(cluster, `${path}?watch=1`, (event) => this.#takeScaler(versions, event)),
      ),
    ]
  }

  /** Oldest first. */
  versions(key: WorkloadKey): readonly Version[] {
    return this.#versions.get(keyOf(key)) ?? []
  }

  /** As it is now; undefined: there is none. */
  latest(key: WorkloadKey): Seen | undefined {
    const version = this.versions(key).at(-1)
    return version?.gone === false ? version.object : undefined
  }

  /** Whether the watches have delivered everything that the API server has. */
  async isCurrent({ admin }: Cluster, namespace: string): Promise<boolean> {
    const { metadata: own } = await admin.expect('GET', `/api/v1/namespaces/${namespace}`)
    if (this.namespaces.at(-1)?.namespace.resourceVersion !== own?.['resourceVersion']) return false
    for (const [path, versions] of this.#beside(namespace)) {
      const { items = [] } = await admin.expect('GET', path)
      for (const item of items as unknown as KubernetesObject[]) {
        const known = versions.at(-1)?.byName.get(item.metadata.name)
        if (!known || written(known) !== written(item)) return false
      }
    }
    for (const kind of PLAYED) {
      const { items = [] } = await admin.expect('GET', collectionOf(kind, namespace))
      for (const { metadata } of items as unknown as Seen[]) {
        const versions = this.#versions.get(keyOf({ kind, namespace, name: metadata.name }))
        if (versions && versions.at(-1)?.object.metadata.resourceVersion !== metadata.resourceVersion)
          return false
      }
    }
    return true
  }

  /** Milliseconds since the latest version of any workload. */
  get quiet(): number {
    return performance.now() - this.#changed
  }

  async stop(): Promise<void> {
    this.#stopped.abort()
    await Promise.all(this.#runs)
  }

  async #follow({ admin }: Cluster, path: string, take: (event: WatchEvent) => void): Promise<void> {
    try {
      for await (const line of admin.lines(path, this.#stopped.signal)) {
        const event = JSON.parse(line) as WatchEvent
        if (event.type === 'ERROR') throw new Error(`the test's own watch failed: ${line}`)
        take(event)
        this.#changed = performance.now()
      }
      throw new Error(`the test's own watch of ${path} ended`)
    } catch (error) {
      if (!this.#stopped.signal.aborted) throw error
    }
  }

  #takeNamespace({ object: { metadata } }: WatchEvent): void {
    const { name, uid, resourceVersion, labels, annotations } = metadata
    const texts = INHERITED_ANNOTATIONS.map((each) => [each, annotations?.[ANNOTATION[each]]] as const)
    const written = Object.fromEntries(texts.filter(([, text]) => text !== undefined))
    const deleting = metadata['deletionTimestamp'] !== undefined
    const namespace = { name, uid, resourceVersion, labels, annotations: written, deleting }
    this.namespaces.push({ at: this.#now(), namespace })
  }

  /** The lists of what scales workloads, and their versions. */
  #beside(namespace: string): readonly (readonly [path: string, versions: ScalersVersion[]])[] {
    return [
      [scaledObjectsIn(namespace), this.scalers],
      [hpasIn(namespace), this.hpas],
    ]
  }

  #takeScaler(versions: ScalersVersion[], { type, object }: WatchEvent): void {
    const byName = new Map(versions.at(-1)?.byName)
    if (type === 'DELETED') byName.delete(object.metadata.name)
    else byName.set(object.metadata.name, object)
    versions.push({ at: this.#now(), byName })
  }

  #take(kind: Kind, { type, object }: WatchEvent): void {
    // A Deployment's own ReplicaSets do not matter.
    const owners = object.metadata['ownerReferences'] as { controller?: boolean }[] | undefined
    if (owners?.some(({ controller }) => controller === true)) return
    const { namespace, name } = object.metadata
    const key = keyOf({ kind, namespace, name })
    const versions = this.#versions.get(key) ?? []
    versions.push({ at: this.#now(), object, gone: type === 'DELETED' })
    this.#versions.set(key, versions)
  }
}

/** The part that somebody wrote: the status of an HPA changes all the time. */
function written({ metadata: { annotations }, ...object }: KubernetesObject): string {
  return JSON.stringify([annotations, 'spec' in object && object.spec])
}
