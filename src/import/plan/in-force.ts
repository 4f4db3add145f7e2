import { ANNOTATION } from '../../domain/annotations.ts'
import type { Kind } from '../../domain/kinds.ts'
import { compilePolicy, type ConfiguredPolicy } from '../../domain/policy/configured.ts'
import { effectiveSettings, type Effective } from '../../domain/policy/effective.ts'
import {
  INHERITED_ANNOTATIONS,
  Inheritance,
  inheritedIn,
  type Namespace,
} from '../../domain/policy/inheritance.ts'
import { ofSource } from '../../domain/policy/settings.ts'
import { canonical, parseSchedule } from '../../domain/schedule/syntax.ts'
import {
  annotationsIn,
  canSleep,
  type ImportedObject,
  type MergePatch,
  type Step,
} from './imported-object.ts'
import { rowOf } from './kinds.ts'
import { leftAlone, saysWanted, type Wanted } from './wanted.ts'

/** The settings of a running Dormouse that decide what it manages, as it publishes them. */
export interface Settings {
  readonly timezone: string
  readonly excludeNamespaces: ReadonlySet<string>
  readonly policies: readonly ConfiguredPolicy[]
}

/** The part of a configuration that an import prints. */
interface Printed {
  readonly policies: readonly ConfiguredPolicy[]
  readonly excludeNamespaces: readonly string[]
}

const NONE: Settings = { timezone: 'UTC', excludeNamespaces: new Set(), policies: [] }

/** By name: the annotations of an object after some writes. */
type Annotations = Readonly<Record<string, string>>

/** Tells which settings hold for a workload under the policies in force and the annotations of its Namespace. */
export class InForce {
  readonly settings: Settings
  readonly #inheritance: Inheritance
  readonly #namespaces: ReadonlyMap<string, ImportedObject>
  readonly #known = new Map<string, Namespace>()

  constructor(settings: Settings = NONE, namespaces: readonly ImportedObject[] = []) {
    this.settings = settings
    this.#inheritance = new Inheritance(settings.policies.map(compilePolicy))
    this.#namespaces = new Map(namespaces.map((each) => [each.metadata.name, each]))
  }

  /** The same, with the policies that an import printed behind those that are configured already. */
  with({ policies, excludeNamespaces }: Printed): InForce {
    const settings = {
      ...this.settings,
      excludeNamespaces: this.settings.excludeNamespaces.union(new Set(excludeNamespaces)),
      policies: [...this.settings.policies, ...policies],
    }
    return new InForce(settings, [...this.#namespaces.values()])
  }

  /** The same settings, over Namespaces as they are by now. */
  over(namespaces: readonly ImportedObject[]): InForce {
    return new InForce(this.settings, namespaces)
  }

  /** Whether Dormouse never touches what is in a namespace. */
  excludes(namespace = ''): boolean {
    return this.settings.excludeNamespaces.has(namespace)
  }

  /** The settings that it inherits from policies alone. */
  byPolicies(object: ImportedObject): Wanted {
    return this.inherited(object, NO_ANNOTATIONS)
  }

  /** The settings that a workload inherits, with `patch` on the annotations of its Namespace. */
  inherited(object: ImportedObject, patch: MergePatch = {}): Wanted {
    return wantedOf(this.#effective(object, {}, patch))
  }

  /** The settings that hold for it in the end, with these annotations of its own. */
  held(object: ImportedObject, own: Annotations, patch: MergePatch = {}): Wanted & { readonly by: string } {
    const effective = this.#effective(object, own, patch)
    const { enabled } = effective?.sources ?? { enabled: null }
    return {
      ...wantedOf(effective),
      by: enabled === 'workload' ? 'itself' : ofSource(enabled).slice(' of '.length),
    }
  }

  #effective(object: ImportedObject, own: Annotations, patch: MergePatch): Effective | undefined {
    const { namespace: name = '', labels } = object.metadata
    if (this.excludes(name)) return undefined
    const kind = (rowOf(object.kind).sleepsAs ?? '') as Kind
    const inherited = this.#inheritance
      .of(this.#namespace(name, patch))
      .by({ kind, owner: undefined, labels })
    return effectiveSettings(inheritedIn(own), inherited, this.settings)
  }

  /** One object for each Namespace and patch: `Inheritance` remembers its results by the object. */
  #namespace(name: string, patch: MergePatch): Namespace {
    const key = `${name} ${JSON.stringify(patch)}`
    const known = this.#known.get(key)
    if (known) return known
    const { annotations, labels } = this.#namespaces.get(name)?.metadata ?? {}
    const inherited = inheritedIn(patched(annotations, patch))
    const made = { name, uid: '', resourceVersion: '', labels, deleting: false, annotations: inherited }
    this.#known.set(key, made)
    return made
  }
}

/**
 * The workloads that would get other settings by these steps than planned, since the printed policy is not in force
 * yet, or not for them. Refused workloads need no policy.
 */
export function lacking(
  steps: readonly Step[],
  [now, planned]: readonly [now: InForce, planned: InForce],
): ImportedObject[] {
  const patches = new Map(
    steps.flatMap(({ object, patch }) =>
      object.kind === 'Namespace' ? [[object.metadata.name, patch]] : [],
    ),
  )
  return steps.flatMap((step) => {
    const { object, verdict } = step
    if (verdict === 'refused' || !canSleep(object)) return []
    const patch = annotationsIn(patches.get(object.metadata.namespace ?? ''))
    const [is, isToBe] = [now, planned].map((each) => saysWanted(each.held(object, finallyOn(step), patch)))
    return is === isToBe ? [] : [object]
  })
}

/**
 * The workloads that the tool keeps awake, and the printed policy would put to sleep as soon as it is in force: they
 * have to be excluded before, since an import needs the policy in force.
 */
export function leftOutFirst(
  steps: readonly Step[],
  [now, planned]: readonly [now: InForce, planned: InForce],
): ImportedObject[] {
  const isLeftOut = ({ object, patch, verdict }: Step) =>
    verdict !== 'refused' &&
    canSleep(object) &&
    annotationsIn(patch)[ANNOTATION.enabled] === 'false' &&
    planned.byPolicies(object).enabled &&
    !now.byPolicies(object).enabled
  return steps.filter(isLeftOut).map(({ object }) => object)
}

function finallyOn({ object, patch, inherits }: Step): Annotations {
  return patched(patched(object.metadata.annotations, annotationsIn(patch)), annotationsIn(inherits))
}

const NO_ANNOTATIONS: MergePatch = Object.fromEntries(
  INHERITED_ANNOTATIONS.map((name) => [ANNOTATION[name], null]),
)

function wantedOf(effective: Effective | undefined): Wanted {
  if (!effective) return leftAlone()
  const { enabled, schedule = '', timezone, autoWake, awakeUntil, asleepReplicas } = effective
  const end = awakeUntil.map(({ text }) => Date.parse(text)).find((at) => !Number.isNaN(at))
  return {
    enabled: enabled === true,
    schedule: inCanonicalForm(schedule),
    timezone,
    autoWake: autoWake !== false,
    ...(typeof asleepReplicas === 'number' && asleepReplicas > 0 && { asleepReplicas }),
    ...(end !== undefined && { awakeUntil: end }),
    differs: [],
  }
}

function inCanonicalForm(schedule: string): string {
  try {
    return canonical(parseSchedule(schedule))
  } catch {
    return schedule
  }
}

function patched(annotations: Annotations = {}, patch: MergePatch): Annotations {
  const all = Object.entries({ ...annotations, ...patch })
  return Object.fromEntries(
    all.flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  )
}
