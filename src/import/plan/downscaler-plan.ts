import { ANNOTATION } from '../../domain/annotations.ts'
import type { Instant } from '../../process/clock.ts'
import { isExcluded, replicasLeft, wantedBy } from './downscaler.ts'
import {
  annotating,
  canSleep,
  hasCount,
  isOwned,
  matchNone,
  type ImportedObject,
  type MergePatch,
  type Step,
} from './imported-object.ts'
import type { InForce } from './in-force.ts'
import { downscaledAs } from './kinds.ts'
import { adoptedWith, isAsleepByTool, KEPT, keptCount, marksOf, settingsOf, without } from './marks.ts'
import { matchesAny, type Program, type Settings } from './program.ts'
import { putBack } from './put-back.ts'
import type { Dialect } from './spans.ts'
import {
  adoptionOf,
  cleaningUp,
  isAsleepAtOnce,
  isAwakeAtOnce,
  OF_ANOTHER,
  refusalOf,
  stepOf,
  type Planned,
} from './steps.ts'
import { annotationsOf, leftAlone, saysWanted, type Wanted } from './wanted.ts'

/** The traces of a downscaler in a cluster. */
export interface Left {
  readonly dialect: Dialect
  readonly program: Program
  /** The namespace that it runs in itself; undefined: it is not known. */
  readonly home?: string | undefined
  readonly namespaces: readonly ImportedObject[]
  /** Objects of all kinds that it changes. */
  readonly objects: readonly ImportedObject[]
}

const STAYS_ASLEEP = 'it is asleep, and the tool would leave it so: wake it by hand'

/** The steps of an import, Namespaces first. `force`: the settings once the printed configuration is in force. */
export function planOfDownscaler(left: Left, now: Instant, force: InForce): Step[] {
  return new DownscalerPlan(left, now, force).steps()
}

/** The settings of a namespace for all workloads in it. */
interface NamespaceSettings {
  readonly settings: Settings
  /** The settings of ours for a workload with a count that says nothing itself. */
  readonly wanted: Wanted
  /** Our annotations that do the same for the workloads in it. */
  readonly annotations: MergePatch
}

class DownscalerPlan {
  readonly #left: Left
  readonly #now: Instant
  readonly #force: InForce
  readonly #workloads: readonly ImportedObject[]
  /** Computed once for each namespace: that takes all minutes of a week. */
  readonly #namespaces = new Map<string, NamespaceSettings>()

  constructor(left: Left, now: Instant, force: InForce) {
    this.#left = left
    this.#now = now
    this.#force = force
    this.#workloads = left.objects.filter((each) => canSleep(each) && !isOwned(each))
  }

  steps(): Step[] {
    const { namespaces, objects } = this.#left
    const owned = objects.filter((each) => canSleep(each) && isOwned(each) && isAsleepByTool(each))
    const steps = [
      ...this.#workloads.flatMap((each) => this.#workloadSteps(each)),
      ...owned.map((each) => refusalOf(each, [hadCount(OF_ANOTHER, each)])),
    ]
    const adopted = new Set(
      steps
        .filter(({ object, recorded }) => recorded !== undefined && KEPT in marksOf(object))
        .map(({ object }) => targetKey(object, object.metadata.name)),
    )
    const refused = steps.filter(({ verdict }) => verdict === 'refused')
    const open = new Set(refused.map(({ object }) => object.metadata.namespace))
    return [
      ...namespaces.flatMap((each) => this.#namespaceStep(each, open.has(each.metadata.name))),
      ...steps,
      ...objects
        .filter((each) => !canSleep(each))
        .flatMap((each) => putBack(each, (name) => adopted.has(targetKey(each, name)))),
    ]
  }

  #settingsIn(namespace: string): NamespaceSettings {
    const found = this.#namespaces.get(namespace)
    if (found) return found
    const marks = marksOf(this.#left.namespaces.find(({ metadata }) => metadata.name === namespace))
    const settings = settingsOf(marks)
    const wanted = this.#wantedBy({}, settings)
    const isWritten = Object.keys(marks).length > 0 && wanted.refused === undefined
    const annotations = isWritten ? annotationsOf(wanted, this.#inheritedByAll(namespace, wanted)) : {}
    const made = { settings, annotations, wanted }
    this.#namespaces.set(namespace, made)
    return made
  }

  /** The settings that workloads of a namespace inherit from policies. If these differ, the Namespace has to say all. */
  #inheritedByAll(namespace: string, { autoWake }: Wanted): Wanted {
    const coming = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: '', namespace } }
    const heirs = this.#workloads.filter(
      (each) => each.metadata.namespace === namespace && this.#isMeant(each),
    )
    const [first = leftAlone(), ...others] = [coming, ...heirs].map((each) => this.#force.byPolicies(each))
    const isSame = others.every((each) => saysWanted(each) === saysWanted(first))
    return isSame ? first : { ...leftAlone(), autoWake: !autoWake, asleepReplicas: -1 }
  }

  /**
   * The tool's annotations are removed last, since a repeated import reads the workloads' hours from them. They stay as
   * long as a workload in the Namespace is `open`: left to a person.
   */
  #namespaceStep(object: ImportedObject, open: boolean): Step[] {
    const marks = marksOf(object)
    const { wanted, annotations } = this.#settingsIn(object.metadata.name)
    if (Object.keys(marks).length === 0) return []
    if (wanted.refused !== undefined) return [refusalOf(object, [wanted.refused])]
    const noted = { ...wanted, differs: [...wanted.differs, ...this.#comingLater(annotations)] }
    const [step] = stepOf(object, noted, { ...annotations, ...without(marks) })
    if (!step) return []
    const { patch: _, ...rest } = step
    const own = object.metadata.annotations ?? {}
    const isNew = Object.entries(annotations).some(([name, value]) => own[name] !== value)
    const patch = isNew && { patch: annotating(annotations) }
    return [{ ...rest, ...patch, ...(!open && { afterwards: annotating(without(marks)) }) }]
  }

  /** A Namespace enables Deployments and StatefulSets alike, and the tool may look at one of these kinds alone. */
  #comingLater(annotations: MergePatch): string[] {
    const { resources } = this.#left.program
    const other = ['deployments', 'statefulsets'].find((each) => !resources.includes(each))
    if (annotations[ANNOTATION.enabled] !== 'true' || other === undefined) return []
    return [`the tool left ${other} alone: one that comes later needs dormouse.dev/enabled=false`]
  }

  #workloadSteps(object: ImportedObject): Step[] {
    const marks = marksOf(object)
    const own = settingsOf(marks)
    const namespace = this.#settingsIn(object.metadata.namespace ?? '')
    const inherited = this.#force.inherited(object, namespace.annotations)
    const isMarked = Object.keys(marks).length > 0
    // Policies may manage a workload that the tool left alone.
    const isOthers = !isMarked && saysWanted(inherited) === saysWanted(this.#force.inherited(object))
    if (!isMarked && adoptedWith(object) === undefined) {
      if (isOthers && (this.#isBeyond(object) || !this.#isMeant(object))) return []
      if (!this.#isMeant(object))
        return inherited.enabled ? stepOf(object, leftAlone(), annotationsOf(leftAlone(), inherited)) : []
    }
    const isLeft = this.#isLeftAlone(object)
    // Most workloads have no annotations but what the tool keeps.
    const isPlain = Object.keys(own).every((key) => key.startsWith('original-'))
    const asked = isLeft
      ? leftAlone()
      : isPlain && hasCount(object)
        ? namespace.wanted
        : this.#wantedIn(object, own, namespace.settings)
    const refuse = (why: string) => {
      const note = inherited.enabled ? ['it is left out of what its namespace and the policies say'] : []
      return [refusalOf(object, [hadCount(why, object), ...note], inherited)]
    }
    if (asked.refused !== undefined) return refuse(asked.refused)

    const isSilent = Object.keys(namespace.annotations).length === 0
    const wanted = isPlain && isSilent ? asInForce(asked, inherited) : asked
    const byPolicies = this.#force.byPolicies(object)
    const planned = { object, wanted, inherited, byPolicies, now: this.#now }
    if (isAsleepByTool(object, wanted.asleepReplicas)) {
      const kept = keptCount(object)
      if (kept === undefined) return refuse(`the tool kept '${marks[KEPT]}', which is no count`)
      if (!wanted.enabled) return refuse(this.#asleepBecause(object, own, namespace.settings))
      if (this.#force.excludes(object.metadata.namespace))
        return refuse('Dormouse leaves out its namespace (excludeNamespaces): wake it by hand')
      return [adoption(planned, kept)]
    }
    const isSettled = ANNOTATION.enabled in (object.metadata.annotations ?? {})
    const isByOthers = wanted.enabled ? !isMarked && (isSilent || isSettled) : isOthers && !isLeft
    const annotations = isByOthers ? {} : annotationsOf(wanted, inherited)
    const says = [
      ...(KEPT in marks
        ? [`it is awake: the count of ${marks[KEPT]} that the tool kept is out of date`]
        : []),
      ...(isAsleepAtOnce(planned) ? ['Dormouse puts it to sleep at once, since it is to be asleep now'] : []),
    ]
    return [...stepOf(object, wanted, { ...annotations, ...without(marks) }, says), ...cleaningUp(planned)]
  }

  #wantedBy(workload: Settings, namespace: Settings): Wanted {
    const { dialect, program } = this.#left
    return wantedBy(dialect, { workload, namespace, program }, this.#now)
  }

  /** Kinds without a count cannot keep some replicas: GoKubeDownscaler suspends them, py-kube-downscaler leaves them alone. */
  #wantedIn(object: ImportedObject, workload: Settings, namespace: Settings): Wanted {
    const { dialect, program } = this.#left
    if (hasCount(object) || replicasLeft(dialect, { workload, namespace, program }) === '0')
      return this.#wantedBy(workload, namespace)
    return dialect === 'py'
      ? leftAlone()
      : this.#wantedBy({ ...workload, 'downscale-replicas': '0' }, namespace)
  }

  /** The reason for refusing a sleeper that is to be left alone: what its tool would do with it. */
  #asleepBecause(object: ImportedObject, workload: Settings, namespace: Settings): string {
    const { dialect, program } = this.#left
    const isPy = dialect === 'py'
    const isLabelled = this.#isLabelled(object)
    const places = [workload, namespace]
    if (!this.#isMeant(object) || this.#isOutOfReach(object) || !(isPy || isLabelled)) return STAYS_ASLEEP
    if (isExcluded(dialect, { workload, namespace, program }, this.#now) || !isLabelled) {
      const wakesIt = isPy
        ? !('upscale-target-only' in program.others)
        : [...places, program.others].some((each) => each['upscale-excluded']?.toLowerCase() === 'true')
      return wakesIt ? 'it is asleep and excluded, and the tool would wake it: wake it by hand' : STAYS_ASLEEP
    }
    return places.some((each) => 'upscale-period' in each)
      ? 'it is asleep, and the tool would wake it by its upscale-period, which alone makes no hours: wake it by hand'
      : STAYS_ASLEEP
  }

  /** Whether the program looks at its kind. */
  #isMeant({ kind }: ImportedObject): boolean {
    return this.#left.program.resources.includes(downscaledAs(kind))
  }

  /** Whether its namespace is not among those that the program was given: then others decided about it. */
  #isBeyond({ metadata: { namespace = '' } }: ImportedObject): boolean {
    const { namespaces } = this.#left.program
    return namespaces.length > 0 && !namespaces.includes(namespace)
  }

  /** Whether the program's arguments leave it alone. */
  #isLeftAlone(object: ImportedObject): boolean {
    return this.#isOutOfReach(object) || !this.#isLabelled(object)
  }

  /** Whether the program passes it over, by its namespace or its name. */
  #isOutOfReach(object: ImportedObject): boolean {
    const { namespace = '', name } = object.metadata
    const { excludedNamespaces, excludedNames } = this.#left.program
    return (
      this.#isBeyond(object) || matchesAny(excludedNamespaces, namespace) || matchesAny(excludedNames, name)
    )
  }

  /** Whether it has a label that the program asks for, written `name=value`. */
  #isLabelled({ metadata: { labels = {} } }: ImportedObject): boolean {
    const asked = this.#left.program.labels
    return (
      asked.length === 0 ||
      Object.entries(labels).some(([label, value]) => matchesAny(asked, `${label}=${value}`))
    )
  }
}

/** The program's default hours are a policy's now. If a person changed the policy's hours, those count. */
function asInForce(wanted: Wanted, inherited: Wanted): Wanted {
  const { enabled, schedule, timezone, autoWake, asleepReplicas = 0 } = inherited
  if (!wanted.enabled || !enabled || saysWanted(inherited) === saysWanted(wanted)) return wanted
  const note = `these are the hours of the policy in force, before it was ${saysWanted(wanted)}`
  return { ...wanted, schedule, timezone, autoWake, asleepReplicas, differs: [...wanted.differs, note] }
}

function adoption(planned: Planned, kept: number): Step {
  const { object } = planned
  const step = adoptionOf({ ...planned, wanted: stayingAsleep(planned) }, kept)
  const keys = matchNone(object.spec?.template?.spec?.nodeSelector)
  if (keys.length === 0) return step
  // In the same write Dormouse adds its own key.
  const nodeSelector = Object.fromEntries(keys.map((key) => [key, null]))
  return { ...step, patch: { ...step.patch, spec: { template: { spec: { nodeSelector } } } } }
}

/** An import wakes nothing: an awake-until does not apply to a sleeper. */
function stayingAsleep(planned: Planned): Wanted {
  const { awakeUntil, ...rest } = planned.wanted
  if (awakeUntil === undefined || isAwakeAtOnce(planned)) return rest
  const until = new Date(awakeUntil).toISOString()
  const note = `it sleeps on, although it may be awake until ${until}: wake it by hand`
  return { ...rest, differs: [...rest.differs, note] }
}

function hadCount(why: string, object: ImportedObject): string {
  const kept = keptCount(object)
  return kept === undefined ? why : `${why}; the tool kept a count of ${kept}`
}

function targetKey({ metadata: { namespace = '' } }: ImportedObject, name: string): string {
  return `${namespace}/${name}`
}
