import { resourceOf, type ConfiguredKind, type Kind } from '../domain/kinds.ts'
import type { Call } from './api-calls.ts'
import type { Collection } from './client.ts'
import { ClusterRefusal, onStatus } from './failures.ts'
import type { ConfiguredFields } from './trim.ts'

/** An entry of the configuration's `kinds`. */
export interface KindSettings {
  /** `rollouts.argoproj.io` */
  readonly resource: string
  /** As in a CustomResourceDefinition: `.spec.replicas`. */
  readonly specReplicasPath: string
}

/** The cluster does not serve a configured kind. */
export class KindNotServed extends ClusterRefusal {
  constructor(kind: ConfiguredKind) {
    super('NOT_FOUND', `the cluster serves no ${kind}: is its CustomResourceDefinition installed?`, {
      status: 404,
    })
  }
}

/** A configured kind cannot be managed because of its definition or its configuration. */
export class KindUnmanageable extends ClusterRefusal {
  constructor(message: string) {
    super('CLUSTER_REJECTED', message, { status: 422 })
  }
}

interface ApiGroup {
  readonly preferredVersion?: { readonly version: string }
}

interface ApiResources {
  readonly resources?: readonly { readonly name: string; readonly kind: string; readonly group?: string }[]
}

/** The part of an OpenAPI schema that we read. */
interface Schema {
  readonly minimum?: number
  readonly properties?: Readonly<Record<string, Schema>>
}

interface Definition {
  readonly spec?: {
    readonly versions?: readonly {
      readonly name: string
      readonly schema?: { readonly openAPIV3Schema?: Schema }
      readonly subresources?: { readonly scale?: { readonly specReplicasPath?: string } }
    }[]
  }
}

type Send = <Answer>(call: Call) => Promise<Answer>

/**
 * The configured kinds. Each list of a kind finds out again where the cluster serves it and whether it can be scaled as
 * the configuration says.
 */
export class ConfiguredKinds {
  /** By kind: where its count stands. */
  readonly fields: ConfiguredFields
  /** By kind: the cluster's `kind`; undefined: not found yet. */
  readonly names: ReadonlyMap<ConfiguredKind, string | undefined>
  readonly #names: Map<ConfiguredKind, string | undefined>
  readonly #settings: ReadonlyMap<Kind, KindSettings>
  readonly #send: Send
  /** By kind, where found: `/apis/argoproj.io/v1alpha1`. */
  readonly #bases = new Map<ConfiguredKind, string>()

  constructor(settings: readonly KindSettings[], send: Send) {
    this.#settings = new Map(settings.map((each) => [each.resource as ConfiguredKind, each]))
    this.fields = new Map(settings.map((each) => [each.resource as ConfiguredKind, fieldOf(each)]))
    this.#names = new Map(settings.map(({ resource }) => [resource as ConfiguredKind, undefined]))
    this.names = this.#names
    this.#send = send
  }

  get kinds(): readonly ConfiguredKind[] {
    return [...this.fields.keys()] as ConfiguredKind[]
  }

  /** All objects of a kind; each list checks the kind first. */
  collectionOf(kind: ConfiguredKind): Collection {
    const bases = this.#bases
    const { group, resource } = resourceOf(kind)
    return {
      resource: kind,
      get path() {
        return `${bases.get(kind) ?? `/apis/${group}`}/${resource}`
      },
      discover: (signal) => this.#discover(kind, signal),
    }
  }

  /** The path at which the cluster serves a kind. @throws ClusterRefusal, KindNotServed */
  async baseOf(kind: ConfiguredKind, signal?: AbortSignal): Promise<string> {
    if (!this.#bases.has(kind)) await this.#discover(kind, signal)
    return this.#bases.get(kind) ?? ''
  }

  async #discover(kind: ConfiguredKind, signal: AbortSignal | undefined): Promise<void> {
    this.#bases.delete(kind)
    const { group, resource } = resourceOf(kind)
    const { preferredVersion } = await this.#read<ApiGroup>(kind, 'apigroups', `/apis/${group}`, signal)
    if (!preferredVersion) throw new KindNotServed(kind)
    const base = `/apis/${group}/${preferredVersion.version}`
    const { resources = [] } = await this.#read<ApiResources>(kind, 'apiresources', base, signal)
    const served = resources.find(({ name }) => name === resource)
    if (!served) throw new KindNotServed(kind)
    this.#names.set(kind, served.kind)
    if (!resources.some(({ name }) => name === `${resource}/scale`))
      throw new KindUnmanageable(
        `${kind} cannot be managed: it has no scale subresource. Take it out of \`kinds\``,
      )
    await this.#checkPath(kind, preferredVersion.version, signal)
    this.#bases.set(kind, base)
  }

  /** If the definition may be read, take the place of the count from it. */
  async #checkPath(kind: ConfiguredKind, version: string, signal: AbortSignal | undefined): Promise<void> {
    const wanted = this.#settings.get(kind)?.specReplicasPath
    const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${kind}`
    const resource = 'customresourcedefinitions'
    const read = this.#send<Definition>({ method: 'GET', resource, path, signal })
    const definition = await read.catch(onStatus([403, 404], undefined))
    if (!definition) return
    const served = definition.spec?.versions?.find(({ name }) => name === version)
    const stands = served?.subresources?.scale?.specReplicasPath
    const least = leastOf(served?.schema?.openAPIV3Schema, wanted ?? '')
    if (least > 0)
      throw new KindUnmanageable(`${kind} cannot sleep: its definition allows no count below ${least}`)
    if (stands === undefined || stands === wanted) return
    throw new KindUnmanageable(
      `${kind} cannot be managed: its count stands at ${stands}, not at ${wanted}. Set specReplicasPath in \`kinds\``,
    )
  }

  async #read<Answer>(
    kind: ConfiguredKind,
    resource: string,
    path: string,
    signal: AbortSignal | undefined,
  ): Promise<Answer> {
    const answer = this.#send<Answer>({ method: 'GET', resource, path, signal })
    const found = await answer.catch(onStatus([404], undefined))
    if (found === undefined) throw new KindNotServed(kind)
    return found
  }
}

/** The configuration's path, which has dots, as a JSON pointer. */
export function fieldOf({ specReplicasPath }: KindSettings): string {
  return specReplicasPath.replaceAll('.', '/')
}

/** The minimum that a definition allows at a path; 0: it has none. */
function leastOf(schema: Schema | undefined, path: string): number {
  const names = path.split('.').slice(1)
  return names.reduce<Schema | undefined>((inner, name) => inner?.properties?.[name], schema)?.minimum ?? 0
}
