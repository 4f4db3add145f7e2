import { ANNOTATION } from '../../domain/annotations.ts'
import type { Instant } from '../../process/clock.ts'
import { replicasLeft, wantedBy } from './downscaler.ts'
import {
  canSleep,
  isOwned,
  matchNone,
  type ImportedObject,
  type MergePatch,
  type Step,
} from './imported-object.ts'
import { isAsleepByTool, KEPT, keptCount, marksOf, settingsOf, without, adoptedWith } from './marks.ts'
import type { Program, Settings } from './program.ts'
import { putBack } from './put-back.ts'
import { annotationsOf, leftAlone, saysWanted, type Wanted } from './wanted.ts'
import type { InForce } from './in-force.ts'
import type { Dialect } from './spans.ts'
import {
  adoptionOf,
  isAsleepAt,
  isAwakeAt,
  OF_ANOTHER,
  refusalOf,
  returning,
  stepOf,
  type Inherited,
} from './steps.ts'

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

type Moment = readonly [now: Instant, force: InForce]

/** The steps of an import, Namespaces first, since workloads inherit from them. `force`: once what it printed is in force. */
export function planOfDownscaler(left: Left, now: Instant, force: InForce): Step[] {
  const sleepers = left.objects.filter(canSleep)
  const workloads = sleepers.filter((each) => !isOwned(each))
  const surroundings = namespaceSettingsIn(left, workloads, [now, force])
  const steps = [
    ...workloads.flatMap((each) =>
      workloadStep(each, surroundings(each.metadata.namespace ?? ''), left, [now, force]),
    ),
    ...sleepers.filter((each) => isOwned(each) && isAsleepByTool(each)).map(ownedStep),
  ]
  const adopted = new Set(
    steps.flatMap(({ object, recorded }) =>
      recorded === undefined || !isAsleepByTool(object) ? [] : [targetKey(object, object.metadata.name)],
    ),
  )
  const open = new Set(
    steps.flatMap(({ verdict, object }) => (verdict === 'refused' ? (object.metadata.namespace ?? '') : [])),
  )
  return [
    ...left.namespaces.flatMap((each) =>
      namespaceStep(each, open.has(each.metadata.name), surroundings(each.metadata.name)),
    ),
    ...steps,
    ...left.objects.flatMap((each) =>
      canSleep(each) ? [] : putBack(each, marksOf(each), (name) => adopted.has(targetKey(each, name))),
    ),
  ]
}

/** Whether the program looks at a namespace at all. */
export function worksIn({ dialect, program }: Pick<Left, 'dialect' | 'program'>, namespace: string): boolean {
  const { namespaces, excludedNamespaces } = program
  if (namespaces.length > 0 && !namespaces.includes(namespace)) return false
  return !matchesAny(excludedNamespaces, namespace, dialect === 'py' ? '^' : '')
}

/** The settings of a namespace for all workloads in it. */
interface NamespaceSettings {
  readonly isReached: boolean
  readonly settings: Settings
  readonly wanted: Wanted
  /** For a workload with a count that says nothing itself. */
  readonly plain: Wanted
  /** Our annotations that do the same for the workloads in it. */
  readonly annotations: MergePatch
}

/** Worked out once for each namespace, since a week has many minutes. */
function namespaceSettingsIn(
  left: Left,
  workloads: readonly ImportedObject[],
  [now, force]: Moment,
): (namespace: string) => NamespaceSettings {
  const objects = new Map(left.namespaces.map((each) => [each.metadata.name, each]))
  const inside = Map.groupBy(workloads, ({ metadata }) => metadata.namespace ?? '')
  const known = new Map<string, NamespaceSettings>()
  return (namespace) => {
    const found = known.get(namespace)
    if (found) return found
    const marks = marksOf(objects.get(namespace))
    const settings = settingsOf(marks)
    const wanted = wantedOf({}, settings, left, now)
    const heirs = (inside.get(namespace) ?? []).filter((each) => isMeant(each, left))
    const isWritten = Object.keys(marks).length > 0 && wanted.refused === undefined
    const annotations = isWritten ? annotationsOf(wanted, alike(heirs, wanted, force, namespace)) : {}
    const resolved = {
      isReached: worksIn(left, namespace),
      settings,
      annotations,
      plain: wanted,
      wanted: withNote(wanted, annotations, left),
    }
    known.set(namespace, resolved)
    return resolved
  }
}

/** The settings that all of a namespace inherit from policies; where they differ, the Namespace says all by itself. */
function alike(heirs: readonly ImportedObject[], wanted: Wanted, force: InForce, namespace: string): Wanted {
  const coming = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: '', namespace } }
  const [first = leftAlone(), ...others] = [coming, ...heirs].map((each) => force.byPolicies(each))
  if (others.every((each) => saysWanted(each) === saysWanted(first))) return first
  return { ...leftAlone(), autoWake: !wanted.autoWake }
}

/** Settings that a Namespace enables are inherited by Deployments and StatefulSets alike, and the tool may look at one of them alone. */
function withNote(wanted: Wanted, annotations: MergePatch, { program }: Left): Wanted {
  const other = ['deployments', 'statefulsets'].find((each) => !program.resources.includes(each))
  if (annotations[ANNOTATION.enabled] !== 'true' || other === undefined) return wanted
  const note = `the tool left ${other} alone: one that comes later needs dormouse.dev/enabled=false`
  return { ...wanted, differs: [...wanted.differs, note] }
}

/**
 * The tool's marks go last, and stay while a workload in it is `open` (left to a person): a repeated import reads from
 * them what its workloads were to do.
 */
function namespaceStep(
  object: ImportedObject,
  open: boolean,
  { wanted, annotations }: NamespaceSettings,
): Step[] {
  const marks = marksOf(object)
  if (Object.keys(marks).length === 0) return []
  if (wanted.refused !== undefined) return [refusalOf(object, [wanted.refused])]
  const afterwards = { metadata: { annotations: without(marks) } }
  const [step] = stepOf(object, wanted, { ...annotations, ...without(marks) })
  if (!step) return []
  const { patch: _, ...rest } = step
  const own = object.metadata.annotations ?? {}
  const isNew = Object.entries(annotations).some(([name, value]) => own[name] !== value)
  return [{ ...rest, ...(isNew && { patch: { metadata: { annotations } } }), ...(!open && { afterwards }) }]
}

function ownedStep(object: ImportedObject): Step {
  return refusalOf(object, [hadCount(OF_ANOTHER, keptCount(object, marksOf(object)[KEPT]))])
}

function workloadStep(
  object: ImportedObject,
  namespace: NamespaceSettings,
  left: Left,
  [now, force]: Moment,
): Step[] {
  const marks = marksOf(object)
  const inherited = force.inherited(object, namespace.annotations)
  const isMarked = Object.keys(marks).length > 0
  // Others than this import may have policies for what the tool left alone.
  const isOthers = !isMarked && saysWanted(inherited) === saysWanted(force.inherited(object))
  if (isOthers && isBeyond(object, left) && adoptedWith(object) === undefined) return []
  if (!isMarked && !isMeant(object, left) && adoptedWith(object) === undefined)
    return inherited.enabled && !isOthers
      ? stepOf(object, leftAlone(), annotationsOf(leftAlone(), inherited))
      : []
  const isLeft = !namespace.isReached || isNamed(object, left) || !isLabelled(object, left)
  const own = settingsOf(marks)
  // Nothing but what the tool keeps, which most have: worked out once.
  const isPlain = Object.keys(own).every((key) => key.startsWith('original-'))
  const asked = isLeft
    ? leftAlone()
    : isPlain && isCounted(object)
      ? namespace.plain
      : wantedIn(object, own, namespace.settings, left, now)
  const kept = keptCount(object, marks[KEPT])
  if (asked.refused !== undefined) return [refusal(object, hadCount(asked.refused, kept), inherited)]
  const isSilent = Object.keys(namespace.annotations).length === 0
  const wanted = isPlain && isSilent ? accepted(asked, inherited) : asked
  if (!isAsleepByTool(object)) {
    const stale =
      KEPT in marks ? [`it is awake: the count of ${marks[KEPT]} that the tool kept is out of date`] : []
    const isSettled = ANNOTATION.enabled in (object.metadata.annotations ?? {})
    const isByOthers = wanted.enabled ? !isMarked && (isSilent || isSettled) : isOthers && !isLeft
    const annotations = isByOthers ? {} : annotationsOf(wanted, inherited)
    return [
      ...stepOf(object, wanted, { ...annotations, ...without(marks) }, [
        ...stale,
        ...(isAsleepAt(now, wanted, inherited)
          ? ['Dormouse puts it to sleep at once, since it is to be asleep now']
          : []),
      ]),
      ...returning(object, wanted, [inherited, force.byPolicies(object)]),
    ]
  }
  if (kept === undefined)
    return [refusal(object, `the tool kept '${marks[KEPT]}', which is no count`, inherited)]
  if (!wanted.enabled)
    return [refusal(object, hadCount(asleepBecause(own, namespace.settings, left), kept), inherited)]
  if (force.excludes(object.metadata.namespace))
    return [
      refusal(
        object,
        hadCount('Dormouse leaves out its namespace (excludeNamespaces): wake it by hand', kept),
        inherited,
      ),
    ]
  return [adoption(object, wanted, [inherited, force.byPolicies(object)], kept, now)]
}

/** Hours of the arguments and the environment are a policy's now, and that may have been given others. */
function accepted(wanted: Wanted, inherited: Wanted): Wanted {
  const { enabled, schedule, timezone, autoWake } = inherited
  if (!wanted.enabled || !enabled || saysWanted({ ...inherited, differs: [] }) === saysWanted(wanted))
    return wanted
  return {
    ...wanted,
    schedule,
    timezone,
    autoWake,
    differs: [
      ...wanted.differs,
      `these are the hours of the policy in force, before it was ${saysWanted(wanted)}`,
    ],
  }
}

function adoption(
  object: ImportedObject,
  wanted: Wanted,
  inherited: Inherited,
  kept: number,
  now: Instant,
): Step {
  // A sleeper stays asleep: an end of being awake does not apply to it.
  const { awakeUntil, ...rest } = wanted
  const asleep =
    awakeUntil === undefined || isAwakeAt(now, wanted, inherited[0])
      ? rest
      : {
          ...rest,
          differs: [
            ...rest.differs,
            `it sleeps on, although it may be awake until ${new Date(awakeUntil).toISOString()}: wake it by hand`,
          ],
        }
  const step = adoptionOf(object, asleep, inherited, kept, now)
  const keys = matchNone(object.spec?.template?.spec?.nodeSelector)
  if (keys.length === 0) return step
  // Dormouse puts its own key in their place, in the same write.
  const nodeSelector = Object.fromEntries(keys.map((key) => [key, null]))
  return { ...step, patch: { ...step.patch, spec: { template: { spec: { nodeSelector } } } } }
}

/** Why a sleeper that is to be left alone is refused: what its tool would do with it. */
function asleepBecause(workload: Settings, namespace: Settings, { dialect, program }: Left): string {
  const places = [workload, namespace]
  const isExcluded = places.some(({ exclude = 'false' }) => exclude.toLowerCase() !== 'false')
  if (dialect === 'py' && isExcluded && !program.others.includes('upscale-target-only'))
    return 'it is asleep and excluded, and the tool would wake it: wake it by hand'
  if (!isExcluded && places.some((each) => 'upscale-period' in each))
    return 'it is asleep, and the tool would wake it by its upscale-period, which alone makes no hours: wake it by hand'
  return 'it is asleep, and the tool would leave it so: wake it by hand'
}

function refusal(object: ImportedObject, why: string, inherited: Wanted): Step {
  const leftOut = inherited.enabled ? ['it is left out of what its namespace and the policies say'] : []
  return refusalOf(object, [why, ...leftOut], inherited)
}

function hadCount(why: string, kept: number | undefined): string {
  return kept === undefined ? why : `${why}; the tool kept a count of ${kept}`
}

/** Kinds without a count go by other rules: GoKubeDownscaler suspends them all, py-kube-downscaler none that keep one. */
function wantedIn(
  object: ImportedObject,
  workload: Settings,
  namespace: Settings,
  left: Left,
  now: Instant,
): Wanted {
  const { dialect, program } = left
  if (isCounted(object) || replicasLeft(dialect, { workload, namespace, program }) === '0')
    return wantedOf(workload, namespace, left, now)
  return dialect === 'py'
    ? leftAlone()
    : wantedOf({ ...workload, 'downscale-replicas': '0' }, namespace, left, now)
}

function isCounted({ kind }: ImportedObject): boolean {
  return kind !== 'CronJob' && kind !== 'DaemonSet'
}

function wantedOf(workload: Settings, namespace: Settings, { dialect, program }: Left, now: Instant): Wanted {
  return wantedBy(dialect, { workload, namespace, program }, now)
}

/** Names are names for py-kube-downscaler, patterns found anywhere in them for GoKubeDownscaler. */
function isNamed({ metadata: { name } }: ImportedObject, { dialect, program }: Left): boolean {
  return dialect === 'py' ? program.excludedNames.includes(name) : matchesAny(program.excludedNames, name, '')
}

function matchesAny(patterns: readonly string[], name: string, start: string): boolean {
  return patterns.some((pattern) => {
    try {
      return new RegExp(`${start}(?:${pattern})`).test(name)
    } catch {
      return pattern === name
    }
  })
}

/** Whether the program looks at its kind. */
function isMeant(object: ImportedObject, { program }: Left): boolean {
  return program.resources.includes(resourceOf(object))
}

/** Whether the program was given namespaces, and its own is none of them: what is managed there, others decided. */
function isBeyond({ metadata: { namespace = '' } }: ImportedObject, { program }: Left): boolean {
  return program.namespaces.length > 0 && !program.namespaces.includes(namespace)
}

/** Whether it has a label that the program asks for, as `name=value`. */
function isLabelled({ metadata: { labels = {} } }: ImportedObject, { dialect, program }: Left): boolean {
  if (program.labels.length === 0) return true
  const whole = (pattern: string) => (dialect === 'py' ? `^(?:${pattern})$` : pattern)
  return Object.entries(labels).some(([name, value]) =>
    matchesAny(program.labels.map(whole), `${name}=${value}`, ''),
  )
}

function resourceOf({ kind }: ImportedObject): string {
  return `${kind.toLowerCase()}s`
}

function targetKey({ metadata: { namespace = '' } }: ImportedObject, name: string): string {
  return `${namespace}/${name}`
}
