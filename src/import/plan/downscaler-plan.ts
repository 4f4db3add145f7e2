import type { Instant } from '../../service/process/clock.ts'
import { replicasLeft, wantedBy } from './downscaler.ts'
import { canSleep, matchNone, type ImportedObject, type Step } from './imported-object.ts'
import { isAsleepByTool, KEPT, keptCount, marksOf, settingsOf, without, adoptedWith } from './marks.ts'
import type { Program, Settings } from './program.ts'
import { putBack } from './put-back.ts'
import { annotationsOf, leftAlone, type Wanted } from './wanted.ts'
import type { Dialect } from './spans.ts'
import { adoptionOf, refusalOf, returning, stepOf, type Inherited } from './steps.ts'

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

/** The steps of an import, Namespaces first, since workloads inherit from them. */
export function planOfDownscaler(left: Left, now: Instant): Step[] {
  const sleepers = left.objects.filter(canSleep)
  const workloads = sleepers.filter((each) => !isOwned(each))
  const adopted = new Set(workloads.filter(isAsleepByTool).map((each) => targetKey(each, each.metadata.name)))
  const surroundings = namespaceSettingsIn(left, now)
  const steps = [
    ...workloads.flatMap((each) =>
      workloadStep(each, surroundings(each.metadata.namespace ?? ''), left, now),
    ),
    ...sleepers.filter((each) => isOwned(each) && isAsleepByTool(each)).map(ownedStep),
  ]
  const open = new Set(
    steps.flatMap(({ verdict, object }) => (verdict === 'refused' ? (object.metadata.namespace ?? '') : [])),
  )
  return [
    ...left.namespaces.flatMap((each) => namespaceStep(each, open.has(each.metadata.name), left, now)),
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
  readonly inherited: Wanted
  /** The part that the policies set, whatever the annotations. */
  readonly policies: Wanted
}

/** Worked out once for each namespace, since a week has many minutes. */
function namespaceSettingsIn(left: Left, now: Instant): (namespace: string) => NamespaceSettings {
  const objects = new Map(left.namespaces.map((each) => [each.metadata.name, each]))
  const policies = wantedOf({}, {}, left, now)
  const known = new Map<string, NamespaceSettings>()
  return (namespace) => {
    const found = known.get(namespace)
    if (found) return found
    const settings = settingsOf(marksOf(objects.get(namespace)))
    const isReached = worksIn(left, namespace)
    const inherited = isReached ? wantedOf({}, settings, left, now) : leftAlone()
    const resolved = { isReached, settings, inherited, policies }
    known.set(namespace, resolved)
    return resolved
  }
}

/**
 * The tool's marks go last, and stay while a workload in it is `open` (left to a person): a repeated import reads from
 * them what its workloads were to do.
 */
function namespaceStep(object: ImportedObject, open: boolean, left: Left, now: Instant): Step[] {
  const marks = marksOf(object)
  if (Object.keys(marks).length === 0) return []
  const [namespace, program] = [settingsOf(marks), wantedOf({}, {}, left, now)]
  const wanted = wantedOf({}, namespace, left, now)
  if (wanted.refused !== undefined) return [refusal(object, wanted.refused, program)]
  const afterwards = { metadata: { annotations: without(marks) } }
  const annotations = annotationsOf(wanted, program)
  const [step] = stepOf(object, wanted, { ...annotations, ...without(marks) })
  if (!step) return []
  return [{ ...step, patch: { metadata: { annotations } }, ...(!open && { afterwards }) }]
}

/** Dormouse leaves what is owned to its owner, and nobody would wake it. */
function ownedStep(object: ImportedObject): Step {
  const kept = keptCount(object, marksOf(object)[KEPT])
  const why = 'it is asleep and belongs to another object, to which Dormouse leaves it: wake it by hand'
  return refusalOf(object, [hadCount(why, kept)])
}

function workloadStep(
  object: ImportedObject,
  { isReached, settings, inherited, policies }: NamespaceSettings,
  left: Left,
  now: Instant,
): Step[] {
  const marks = marksOf(object)
  const isMeant = Object.keys(marks).length > 0 || left.program.resources.includes(resourceOf(object))
  if (!isMeant && adoptedWith(object) === undefined) return []
  const wanted =
    isReached && !isNamed(object, left)
      ? wantedIn(object, settingsOf(marks), settings, left, now)
      : leftAlone()
  const kept = keptCount(object, marks[KEPT])
  if (wanted.refused !== undefined) return [refusal(object, hadCount(wanted.refused, kept), inherited)]
  if (!isAsleepByTool(object)) {
    const stale =
      KEPT in marks ? [`it is awake: the count of ${marks[KEPT]} that the tool kept is out of date`] : []
    return [
      ...stepOf(object, wanted, { ...annotationsOf(wanted, inherited), ...without(marks) }, stale),
      ...returning(object, wanted, [inherited, policies]),
    ]
  }
  if (kept === undefined)
    return [refusal(object, `the tool kept '${marks[KEPT]}', which is no count`, inherited)]
  if (!wanted.enabled)
    return [
      refusal(
        object,
        hadCount('it is asleep, and the tool would leave it so: wake it by hand', kept),
        inherited,
      ),
    ]
  return [adoption(object, wanted, [inherited, policies], kept)]
}

function adoption(object: ImportedObject, wanted: Wanted, inherited: Inherited, kept: number): Step {
  // A sleeper stays asleep: an end of being awake does not apply to it.
  const { awakeUntil, ...rest } = wanted
  const asleep =
    awakeUntil === undefined
      ? rest
      : {
          ...rest,
          differs: [
            ...rest.differs,
            `it sleeps on, although it may be awake until ${new Date(awakeUntil).toISOString()}: wake it by hand`,
          ],
        }
  const step = adoptionOf(object, asleep, inherited, kept)
  const keys = matchNone(object.spec?.template?.spec?.nodeSelector)
  if (keys.length === 0) return step
  // Dormouse puts its own key in their place, in the same write.
  const nodeSelector = Object.fromEntries(keys.map((key) => [key, null]))
  return { ...step, patch: { ...step.patch, spec: { template: { spec: { nodeSelector } } } } }
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
  { kind }: ImportedObject,
  workload: Settings,
  namespace: Settings,
  left: Left,
  now: Instant,
): Wanted {
  const { dialect, program } = left
  const isCounted = kind !== 'CronJob' && kind !== 'DaemonSet'
  if (isCounted || replicasLeft(dialect, { workload, namespace, program }) === '0')
    return wantedOf(workload, namespace, left, now)
  return dialect === 'py'
    ? leftAlone()
    : wantedOf({ ...workload, 'downscale-replicas': '0' }, namespace, left, now)
}

function wantedOf(workload: Settings, namespace: Settings, { dialect, program }: Left, now: Instant): Wanted {
  return wantedBy(dialect, { workload, namespace, program }, now)
}

function isOwned({ metadata }: ImportedObject): boolean {
  return metadata.ownerReferences?.some(({ controller }) => controller === true) ?? false
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

function resourceOf({ kind }: ImportedObject): string {
  return `${kind.toLowerCase()}s`
}

function targetKey({ metadata: { namespace = '' } }: ImportedObject, name: string): string {
  return `${namespace}/${name}`
}
