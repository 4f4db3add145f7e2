import { ANNOTATION } from '../annotations.ts'
import type { Kind, Owner } from '../kinds.ts'
import { INHERITING_KINDS, type CompiledPolicy } from './configured.ts'
import { SETTING_NAMES, type SettingName } from '../inheritable.ts'
import type { Found, Source } from './settings.ts'

/** The annotations of a Namespace that its workloads inherit. */
export const INHERITED_ANNOTATIONS = [...SETTING_NAMES, 'awakeUntil'] as const
export type InheritedAnnotation = (typeof INHERITED_ANNOTATIONS)[number]

/** The inherited settings among the annotations of an object, by their names. */
export function inheritedIn(
  annotations: Readonly<Record<string, string>> = {},
  intern: (text: string) => string = (text) => text,
): Namespace['annotations'] {
  return Object.fromEntries(
    INHERITED_ANNOTATIONS.flatMap((name) => {
      const text = annotations[ANNOTATION[name]]
      return text === undefined ? [] : [[name, intern(text)]]
    }),
  )
}

/** A Namespace, trimmed to what the rules need. Never changed in place. */
export interface Namespace {
  readonly name: string
  readonly uid: string
  readonly resourceVersion: string
  readonly labels: Readonly<Record<string, string>> | undefined
  readonly annotations: Readonly<Partial<Record<InheritedAnnotation, string>>>
  /** It is terminating. */
  readonly deleting: boolean
}

/** The inherited value of each setting. Workloads that inherit the same share one object. */
export interface Inherited {
  readonly settings: Readonly<Partial<Record<SettingName, Found>>>
  readonly awakeUntil?: Found
}

/** Beyond the reach of inheritance, or where nothing is set. */
export const NOTHING_INHERITED: Inherited = { settings: {} }

/** The part of a workload that inheritance depends on, beside its namespace. */
export interface Heir {
  readonly kind: Kind
  readonly owner: Owner | undefined
  readonly labels: Readonly<Record<string, string>> | undefined
}

/** Resolves what is inherited, once for each Namespace and set of policies that match. */
export class Inheritance {
  readonly #policies: readonly CompiledPolicy[]
  readonly #known = new WeakMap<Namespace, NamespaceInheritance>()

  /** `policies`: in their order; the first that matches and has a setting gives it. */
  constructor(policies: readonly CompiledPolicy[]) {
    this.#policies = policies
  }

  of(namespace: Namespace): NamespaceInheritance {
    const known = this.#known.get(namespace)
    if (known) return known
    const { name, labels } = namespace
    const matching = this.#policies.filter(({ reachesNamespace }) => reachesNamespace(name, labels))
    const made = new NamespaceInheritance(namespace, matching)
    this.#known.set(namespace, made)
    return made
  }

  /** Whether a change of a Namespace changes nothing for its workloads. */
  isSame(before: Namespace, after: Namespace): boolean {
    return before.deleting === after.deleting && this.of(before).equals(this.of(after))
  }
}

/** The settings that one Namespace's workloads inherit. */
class NamespaceInheritance {
  readonly #namespace: Namespace
  readonly #policies: readonly CompiledPolicy[]
  /** By the places of the policies that match a workload: `0,2`. */
  readonly #known = new Map<string, Inherited>()

  constructor(namespace: Namespace, policies: readonly CompiledPolicy[]) {
    this.#namespace = namespace
    this.#policies = policies
  }

  /**
   * Inheritance reaches Deployments and StatefulSets, and other kinds where a policy names them; never what a
   * controller owns, whose owner decides about it.
   */
  by({ kind, owner, labels }: Heir): Inherited {
    if (owner) return NOTHING_INHERITED
    const matching: number[] = []
    for (const [place, { kinds, reachesWorkload }] of this.#policies.entries())
      if (kinds.has(kind) && (reachesWorkload?.(labels) ?? true)) matching.push(place)
    if (matching.length === 0 && !INHERITING_KINDS.includes(kind)) return NOTHING_INHERITED
    const key = matching.join(',')
    const known = this.#known.get(key)
    if (known) return known
    const made = this.#resolve(matching)
    this.#known.set(key, made)
    return made
  }

  /** The same annotations, and the same policies match. */
  equals(other: NamespaceInheritance): boolean {
    const [a, b] = [this.#namespace.annotations, other.#namespace.annotations]
    return (
      INHERITED_ANNOTATIONS.every((name) => a[name] === b[name]) &&
      this.#policies.length === other.#policies.length &&
      this.#policies.every((policy, place) => policy === other.#policies[place])
    )
  }

  #resolve(matching: readonly number[]): Inherited {
    const { name: namespace, annotations } = this.#namespace
    const source: Source = `namespace/${namespace}`
    const settings: Partial<Record<SettingName, Found>> = {}
    for (const place of matching.toReversed()) Object.assign(settings, this.#policies[place]?.settings)
    for (const name of SETTING_NAMES) {
      const text = annotations[name]
      if (text !== undefined) settings[name] = { text, source }
    }
    const { awakeUntil } = annotations
    if (awakeUntil === undefined && Object.keys(settings).length === 0) return NOTHING_INHERITED
    return { settings, ...(awakeUntil === undefined ? {} : { awakeUntil: { text: awakeUntil, source } }) }
  }
}
