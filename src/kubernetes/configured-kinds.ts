import { fieldAt } from '../domain/json-pointer.ts'
import { factsOf, resourceOf, type ConfiguredKind, type Kind } from '../domain/kinds.ts'
import { DEFAULT_COUNT_PATH, sleepingBy, type KindSettings } from '../domain/sleeping/configured.ts'
import type { Sleeping } from '../domain/sleeping/form.ts'
import type { Call } from './api-calls.ts'
import type { Collection } from './client.ts'
import { ClusterRefusal, onStatus } from './failures.ts'
import { DEFINITIONS, hasPlace, leastAt, notServed, type CustomDefinition } from './definitions.ts'
import type { ConfiguredFields } from './trim.ts'

/** The cluster does not serve a configured kind. */
export class KindNotServed extends ClusterRefusal {
  constructor(kind: ConfiguredKind) {
    super('NOT_FOUND', notServed(kind), { status: 404 })
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
  readonly resources?: readonly {
    readonly name: string
    readonly kind: string
    readonly group?: string
    readonly namespaced?: boolean
  }[]
}

/** The content of a definition; undefined: it may not be read. */
type ReadDefinition = () => Promise<CustomDefinition | undefined>

type Send = <Answer>(call: Call) => Promise<Answer>

/**
 * The configured kinds. Each list of a kind finds out again where the cluster serves it and whether it can be scaled as
 * the configuration says.
 */
export class ConfiguredKinds {
  /** How each sleeps. */
  readonly fields: ConfiguredFields
  readonly #fields: Map<Kind, Sleeping>
  /** By kind that sleeps by its count, which alone autoscalers concern: the cluster's `kind`; undefined: not found yet. */
  readonly names: ReadonlyMap<ConfiguredKind, string | undefined>
  readonly #names: Map<ConfiguredKind, string | undefined>
  readonly #settings: ReadonlyMap<Kind, KindSettings>
  readonly #send: Send
  /** By kind, where found: `/apis/argoproj.io/v1alpha1`. */
  readonly #bases = new Map<ConfiguredKind, string>()

  constructor(settings: readonly KindSettings[], send: Send) {
    this.#settings = new Map(settings.map((each) => [each.resource as ConfiguredKind, each]))
    this.#fields = new Map(settings.map((each) => [each.resource as ConfiguredKind, sleepingBy(each)]))
    this.fields = this.#fields
    const counted = this.kinds.filter((kind) => this.#fields.get(kind)?.form.scales)
    this.#names = new Map(counted.map((kind) => [kind, undefined]))
    this.names = this.#names
    this.#send = send
  }

  /** Whether people scale a kind, configured or not, by its scale subresource. */
  hasScale(kind: Kind): boolean {
    return (this.#fields.get(kind) ?? factsOf(kind)).hasScale
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
    const { group, resource } = resourceOf(kind)
    const found = await this.#read<ApiGroup>('apigroups', `/apis/${group}`, signal)
    const versions = [found?.preferredVersion ?? [], found?.versions ?? []].flat()
    let definition: Promise<CustomDefinition | undefined> | undefined
    const defined = () => (definition ??= this.#definitionOf(kind, signal))
    let fault: KindUnmanageable | undefined
    let unscaled: string | undefined
    for (const version of new Set(versions.map((each) => each.version))) {
      const base = `/apis/${group}/${version}`
      const resources = (await this.#read<ApiResources>('apiresources', base, signal))?.resources ?? []
      const served = resources.find(({ name }) => name === resource)
      if (!served) continue
      if (this.#names.has(kind)) this.#names.set(kind, served.kind)
      const hasScale = resources.some(({ name }) => name === `${resource}/scale`)
      const why =
        served.namespaced === false
          ? NOT_NAMESPACED
          : await faultAt(this.#settings.get(kind), version, hasScale, defined)
      if (why !== undefined) fault ??= new KindUnmanageable(`${kind} cannot ${why}`)
      else if (hasScale) return this.#found(kind, base, true)
      else unscaled ??= base
    }
    if (unscaled !== undefined) return this.#found(kind, unscaled, false)
    throw fault ?? new KindNotServed(kind)
  }

  #found(kind: ConfiguredKind, base: string, hasScale: boolean): string {
    const sleeping = this.#fields.get(kind)
    if (sleeping) this.#fields.set(kind, { ...sleeping, hasScale: hasScale && sleeping.form.scales })
    return base
  }

  async #definitionOf(
    kind: ConfiguredKind,
    signal: AbortSignal | undefined,
  ): Promise<CustomDefinition | undefined> {
    const { resource, path } = DEFINITIONS
    const read = this.#send<CustomDefinition>({ method: 'GET', resource, path: `${path}/${kind}`, signal })
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

const NOT_NAMESPACED = 'be managed: its objects are in no namespace'

/** Why it cannot be managed at a version, as `be managed: …`; undefined: it can. */
async function faultAt(
  settings: KindSettings | undefined,
  version: string,
  hasScale: boolean,
  defined: ReadDefinition,
): Promise<string | undefined> {
  if (settings?.versions?.includes(version) === false)
    return `be managed: its preset knows ${settings.versions.join(' and ')}, and the cluster serves ${version}. Describe it in \`kinds\` by its resource`
  if (!hasScale && settings?.switch === undefined && settings?.specReplicasPath === undefined)
    return 'be managed: it has no scale subresource. Say in `kinds` where its count stands (specReplicasPath), or its switch'
  const definition = await defined()
  return definition && settings && faultIn(settings, version, definition)
}

/** A definition that may be read says which fields there are, where the count stands, and which counts it allows. */
function faultIn(settings: KindSettings, version: string, definition: CustomDefinition): string | undefined {
  const { specReplicasPath = DEFAULT_COUNT_PATH, switch: values } = settings
  const served = definition.spec?.versions?.find(({ name }) => name === version)
  const schema = served?.schema?.openAPIV3Schema
  const wanted = values ? values.path : specReplicasPath
  const least = values ? 0 : leastAt(schema, fieldAt(specReplicasPath))
  if (least > 0) return `sleep: its definition allows no count below ${least}`
  const stands = served?.subresources?.scale?.specReplicasPath
  if (!values && stands !== undefined && stands !== specReplicasPath)
    return `be managed: its count stands at ${stands}, not at ${specReplicasPath}. Set specReplicasPath in \`kinds\``
  if (wanted === undefined || hasPlace(schema, fieldAt(wanted))) return undefined
  return `be managed: its definition has no ${wanted} at ${version}. Look for the place in it, and set that in \`kinds\``
}
