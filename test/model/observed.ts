import type { Instant } from '../../src/clock.ts'
import { apiVersionOf, factsOf } from '../../src/domain/kinds.ts'
import { KINDS, keyOf, type Kind, type WorkloadKey } from '../../src/domain/workload.ts'
import type { Cluster } from '../support/cluster.ts'

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

/** One version of an object; `gone`: its deletion. */
export interface Version {
  /** By the scenario's clock, when the watch told it. */
  readonly at: Instant
  readonly object: Seen
  readonly gone: boolean
}

/** Every version of every workload in a namespace, by watches of the test's own. */
export class Observed {
  readonly #versions = new Map<string, Version[]>()
  readonly #stopped = new AbortController()
  readonly #now: () => Instant
  #runs: Promise<void>[] = []
  #changed = performance.now()

  constructor(now: () => Instant) {
    this.#now = now
  }

  /** The namespace has no workload yet: a watch without a version begins by telling what there is. */
  watch(cluster: Cluster, namespace: string): void {
    this.#runs = KINDS.map((kind) => this.#follow(cluster, kind, namespace))
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

  /** Whether the watches have told all that the API server has. */
  async isCurrent({ admin }: Cluster, namespace: string): Promise<boolean> {
    for (const kind of KINDS) {
      const { items = [] } = await admin.expect(
        'GET',
        `/apis/${apiVersionOf(kind)}/namespaces/${namespace}/${kind}`,
      )
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

  async #follow({ admin }: Cluster, kind: Kind, namespace: string): Promise<void> {
    const path = `/apis/${apiVersionOf(kind)}/namespaces/${namespace}/${kind}?watch=1`
    try {
      for await (const line of admin.lines(path, this.#stopped.signal)) this.#take(kind, JSON.parse(line))
      throw new Error(`the test's own watch of ${factsOf(kind).name}s ended`)
    } catch (error) {
      if (!this.#stopped.signal.aborted) throw error
    }
  }

  #take(kind: Kind, { type, object }: { type: string; object: Seen }): void {
    if (type === 'ERROR') throw new Error(`the test's own watch failed: ${JSON.stringify(object)}`)
    // Of a Deployment's own ReplicaSets, and so of no concern.
    const owners = object.metadata['ownerReferences'] as { controller?: boolean }[] | undefined
    if (owners?.some(({ controller }) => controller === true)) return
    const { namespace, name } = object.metadata
    const key = keyOf({ kind, namespace, name })
    const versions = this.#versions.get(key) ?? []
    versions.push({ at: this.#now(), object, gone: type === 'DELETED' })
    this.#versions.set(key, versions)
    this.#changed = performance.now()
  }
}
