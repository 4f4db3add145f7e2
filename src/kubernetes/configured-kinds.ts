import { pointerTo } from '../domain/json-pointer.ts'
import { resourceOf, type ConfiguredKind, type Kind } from '../domain/kinds.ts'
import { COUNT } from '../domain/sleeping/count.ts'
import type { Sleeping } from '../domain/sleeping/form.ts'
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
  readonly versions?: readonly { readonly version: string }[]
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

/** The content of a definition; undefined: it may not be read. */
type ReadDefinition = () => Promise<Definition | undefined>

type Send = <Answer>(call: Call) => Promise<Answer>

/**
 * The configured kinds. Each list of a kind finds out again where the cluster serves it and whether it can be scaled as
 * the configuration says.
 */
export class ConfiguredKinds {
  /** How each sleeps. */
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
    this.fields = new Map(settings.map((each) => [each.resource as ConfiguredKind, sleepingBy(each)]))
    this.#names = new Map(settings.map(({ resource }) => [resource as ConfiguredKind, undefined]))
    this.names = this.#names
    this.#send = send
  }

  get kinds(): readonly ConfiguredKind[] {
    return [...this.fields.keys()] as ConfiguredKind[]
  }

  /** All objects of a kind, or those of a `/namespaces/shop`; each list checks the kind first. */
  collectionOf(kind: ConfiguredKind, within = ''): Collection & Required<Pick<Collection, 'discover'>> {
    const bases = this.#bases
    const { group, resource } = resourceOf(kind)
    return {
      resource: kind,
      get path() {
        return `${bases.get(kind) ?? `/apis/${group}`}${within}/${resource}`
      },
      discover: (signal) => this.#discover(kind, signal),
    }
  }

  /**
   * The path at which the cluster serves a kind; `left`: one that it answered a 404 at, so it is looked for again.
   * @throws ClusterRefusal, KindNotServed
   */
  async baseOf(kind: ConfiguredKind, signal?: AbortSignal, left?: string): Promise<string> {
    const known = this.#bases.get(kind)
    if (known === undefined || known === left) await this.#discover(kind, signal)
    return this.#bases.get(kind) ?? ''
  }

  async #discover(kind: ConfiguredKind, signal: AbortSignal | undefined): Promise<void> {
    try {
      this.#bases.set(kind, await this.#find(kind, signal))
    } catch (error) {
      this.#bases.delete(kind)
      throw error
    }
  }

  /**
   * The first version at which it can be managed, the preferred one before others: that one is of the group, which may
   * serve another of its kinds there alone. Where there is none, the fault is that of the first that serves the kind.
   */
  async #find(kind: ConfiguredKind, signal: AbortSignal | undefined): Promise<string> {
    const { group } = resourceOf(kind)
    const found = await this.#read<ApiGroup>('apigroups', `/apis/${group}`, signal)
    const versions = [found?.preferredVersion ?? [], found?.versions ?? []].flat()
    let definition: Promise<Definition | undefined> | undefined
    const defined = () => (definition ??= this.#definitionOf(kind, signal))
    let fault: KindUnmanageable | undefined
    for (const version of new Set(versions.map((each) => each.version))) {
      const base = `/apis/${group}/${version}`
      const resources = (await this.#read<ApiResources>('apiresources', base, signal))?.resources ?? []
      const why = await this.#faultAt(kind, version, resources, defined)
      if (why === undefined) return base
      if (why !== 'not served') fault ??= why
    }
    throw fault ?? new KindNotServed(kind)
  }

  /** undefined: it can be managed at this version. */
  async #faultAt(
    kind: ConfiguredKind,
    version: string,
    resources: NonNullable<ApiResources['resources']>,
    defined: ReadDefinition,
  ): Promise<KindUnmanageable | 'not served' | undefined> {
    const { resource } = resourceOf(kind)
    const served = resources.find(({ name }) => name === resource)
    if (!served) return 'not served'
    this.#names.set(kind, served.kind)
    if (resources.some(({ name }) => name === `${resource}/scale`))
      return this.#faultIn(kind, version, await defined())
    return new KindUnmanageable(
      `${kind} cannot be managed: it has no scale subresource. Take it out of \`kinds\``,
    )
  }

  /** A definition that may be read says where the count stands and which counts it allows. */
  #faultIn(
    kind: ConfiguredKind,
    version: string,
    definition: Definition | undefined,
  ): KindUnmanageable | undefined {
    if (!definition) return undefined
    const wanted = this.#settings.get(kind)?.specReplicasPath
    const served = definition.spec?.versions?.find(({ name }) => name === version)
    const stands = served?.subresources?.scale?.specReplicasPath
    const least = leastOf(served?.schema?.openAPIV3Schema, wanted ?? '')
    if (least > 0)
      return new KindUnmanageable(`${kind} cannot sleep: its definition allows no count below ${least}`)
    if (stands === undefined || stands === wanted) return undefined
    return new KindUnmanageable(
      `${kind} cannot be managed: its count stands at ${stands}, not at ${wanted}. Set specReplicasPath in \`kinds\``,
    )
  }

  async #definitionOf(
    kind: ConfiguredKind,
    signal: AbortSignal | undefined,
  ): Promise<Definition | undefined> {
    const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${kind}`
    const resource = 'customresourcedefinitions'
    const read = this.#send<Definition>({ method: 'GET', resource, path, signal })
    return read.catch(onStatus([403, 404], undefined))
  }

  /** undefined: nothing is served there. */
  async #read<Answer>(
    resource: string,
    path: string,
    signal: AbortSignal | undefined,
  ): Promise<Answer | undefined> {
    return this.#send<Answer>({ method: 'GET', resource, path, signal }).catch(onStatus([404], undefined))
  }
}

/** The way to sleep that an entry names; its path has dots. */
export function sleepingBy({ specReplicasPath }: KindSettings): Sleeping {
  return { form: COUNT, field: pointerTo(stepsOf(specReplicasPath)), hasScale: true }
}

function stepsOf(path: string): string[] {
  return path.split('.').slice(1)
}

/** The minimum that a definition allows at a path; 0: it has none. */
function leastOf(schema: Schema | undefined, path: string): number {
  return (
    stepsOf(path).reduce<Schema | undefined>((inner, name) => inner?.properties?.[name], schema)?.minimum ?? 0
  )
}
