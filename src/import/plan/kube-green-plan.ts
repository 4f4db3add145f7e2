import type { Instant } from '../../process/clock.ts'
import { compileSchedule } from '../../domain/schedule/schedule.ts'
import { asciiJson, commandLine } from './shell-words.ts'
import {
  canSleep,
  isAtRest,
  isOwned,
  type ImportedObject,
  type MergePatch,
  type Step,
} from './imported-object.ts'
import { keptIn, keptKey, keptOfOthers, restorable, writtenAt, type Restore } from './restores.ts'
import { annotationsOf, leftAlone, saysWanted, type Wanted } from './wanted.ts'
import type { InForce } from './in-force.ts'
import { isChosen, isPatched, isSleepInfo, sleeps, type SleepInfo, wantedBySleepInfos } from './sleep-info.ts'
import { groupOf, rowOf } from './kinds.ts'
import { adoptionOf, cleaningUp, OF_ANOTHER, refusalOf, stepOf, type Planned } from './steps.ts'

/** The traces of kube-green in one namespace. */
export interface LeftInNamespace {
  readonly namespace: ImportedObject
  readonly infos: readonly SleepInfo[]
  /** The SleepInfos' Secrets. */
  readonly secrets: readonly ImportedObject[]
  readonly objects: readonly ImportedObject[]
}

/** The objects by namespace, for namespaces with a SleepInfo. */
export function byNamespace(found: readonly ImportedObject[]): LeftInNamespace[] {
  const infos = found.filter(isSleepInfo)
  return [...new Set(infos.map(({ metadata }) => metadata.namespace))].map((name) => {
    const here = found.filter(({ metadata }) => metadata.namespace === name)
    return {
      namespace: found.find(({ kind, metadata }) => kind === 'Namespace' && metadata.name === name) ?? {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name: name ?? '' },
      },
      infos: infos.filter(({ metadata }) => metadata.namespace === name),
      secrets: here.filter(
        ({ kind, metadata }) => kind === 'Secret' && metadata.name.startsWith('sleepinfo-'),
      ),
      objects: here.filter(({ kind }) => kind !== 'Secret' && kind !== 'SleepInfo'),
    }
  })
}

/**
 * The steps of an import in one namespace. SleepInfos are deleted last, since their Secrets are deleted with them. They
 * stay as long as anything in the namespace is left to a person.
 * @param place options, such as ` --context dev`, by which a pasted command reaches the same cluster
 */
export function planOfKubeGreen(
  { namespace, infos, secrets, objects }: LeftInNamespace,
  now: Instant,
  force: InForce,
  place = '',
): Step[] {
  const unreadable = secrets.filter((secret) => !keptIn(secret))
  // Without the counts its sleepers would be adopted at 0.
  if (unreadable.length > 0)
    return [
      ...unreadable.map((secret) =>
        refusalOf(secret, ['what it keeps cannot be read, or not whole: its namespace is left as it is']),
      ),
      ...infos.map(staying),
    ]
  const kept = keptByAll(secrets)
  const wantedOf = wantedOnce(now)
  const wide = settled(settingsOfNamespace(namespace, infos, wantedOf), namespace, force)
  const annotations = wide.enabled
    ? annotationsOf(wide, besidePolicies(wide, [...heirs(namespace), ...objects], force))
    : {}
  const steps: Step[] = [
    ...(wide.enabled ? stepOf(namespace, wide, annotations) : []),
    ...objects.flatMap((each) => {
      const chosen = infos.filter((info) => sleeps(info, each) && isChosen(info, each))
      return objectSteps({
        object: each,
        asked: canSleep(each) ? settled(wantedOf(chosen), each, force) : leftAlone(),
        kept: kept.get(keptKey(each)) ?? [],
        inherited: force.inherited(each, annotations),
        before: force.inherited(each),
        byPolicies: force.byPolicies(each),
        now,
        place,
        isPatched: infos.some((info) => isPatched(info, each) && isChosen(info, each)),
      })
    }),
    ...secrets
      .flatMap((secret) => keptOfOthers(secret, new Set(objects.map(keptKey))))
      .map(({ object, restore }) => byHand(object, NOT_LOOKED_AT, restore, place)),
  ]
  const isOpen = steps.some(({ verdict }) => verdict === 'refused')
  const later = comingLater(infos, wide)
  return [...steps, ...infos.map((each) => (isOpen ? staying(each) : going(each, later)))]
}

/**
 * Hours of Dormouse that a workload or its Namespace has already win over those of its SleepInfos. A person wrote them,
 * or an import did that ended between the deletions of two SleepInfos: the one that is left does not say all.
 */
function settled(wanted: Wanted, object: ImportedObject, force: InForce): Wanted {
  const isNamespace = object.kind === 'Namespace'
  const { name } = object.metadata
  const heir = isNamespace ? anyOf('Deployment', name) : object
  const own = isNamespace ? {} : (object.metadata.annotations ?? {})
  const held = force.held(heir, own)
  const { by, enabled, schedule, timezone, autoWake } = held
  if (!wanted.enabled || !enabled || by.startsWith('policy ') || schedule === '') return wanted
  const hours = { ...wanted, schedule, timezone, autoWake }
  if (saysWanted(hours) === saysWanted(wanted)) return wanted
  const note = `these hours it has from Dormouse already, and they stay; kube-green has it ${saysWanted(wanted)}`
  return { ...hours, differs: [note] }
}

/** The patches that the Secrets keep, by the object's key, the latest last. */
function keptByAll(secrets: readonly ImportedObject[]): Map<string, Restore[]> {
  const kept = new Map<string, Restore[]>()
  for (const secret of secrets.toSorted((a, b) => writtenAt(a) - writtenAt(b)))
    for (const [key, restore] of keptIn(secret) ?? []) kept.set(key, [...(kept.get(key) ?? []), restore])
  return kept
}

/** The settings for some SleepInfos, worked out once, since most workloads of a namespace have the same. */
function wantedOnce(now: Instant): (infos: readonly SleepInfo[]) => Wanted {
  const known = new Map<string, Wanted>()
  return (infos) => {
    const key = infos.map(({ metadata }) => metadata.name).join()
    const specs = infos.map(({ spec }) => spec)
    const wanted = known.get(key) ?? (specs.length === 0 ? leftAlone() : wantedBySleepInfos(specs, now))
    known.set(key, wanted)
    return wanted
  }
}

/** Workloads that may come later, and would inherit from a Namespace. */
function heirs({ metadata: { name: namespace } }: ImportedObject): ImportedObject[] {
  return ['Deployment', 'StatefulSet'].map((kind) => anyOf(kind, namespace))
}

function anyOf(kind: string, namespace: string): ImportedObject {
  return { apiVersion: rowOf(kind).apiVersion ?? '', kind, metadata: { name: '', namespace } }
}

/** Counts only the policies' auto-wake as inherited: a Namespace says all else by itself, since policies may change. */
function besidePolicies({ autoWake }: Wanted, objects: readonly ImportedObject[], force: InForce): Wanted {
  const isSame = objects.every((each) => force.byPolicies(each).autoWake)
  return { ...leftAlone(), autoWake: isSame || !autoWake }
}

function staying(object: SleepInfo): Step {
  return refusalOf(object, [
    'it stays, since of what it means, or its Secret keeps, something is left to be done by hand',
  ])
}

function going(object: SleepInfo, later: readonly string[]): Step {
  const says = ['it goes, and its Secret with it', ...later]
  return { object, verdict: later.length > 0 ? 'approximated' : 'mapped', says, goes: true }
}

/** Workloads to come that these SleepInfos would have put to sleep, and nothing will. */
function comingLater(infos: readonly SleepInfo[], wide: Wanted): string[] {
  const kinds = ['Deployment', 'StatefulSet', 'CronJob'].filter((kind) =>
    infos.some((info) => sleeps(info, anyOf(kind, ''))),
  )
  const lacking = wide.enabled ? kinds.filter((kind) => kind === 'CronJob') : kinds
  if (lacking.length === 0) return []
  return [
    `${lacking.map((kind) => `${kind}s`).join(', ')} that come later need dormouse.dev annotations of their own`,
  ]
}

/**
 * SleepInfos for all Deployments and StatefulSets can become settings of the Namespace, where new workloads inherit
 * them.
 */
function settingsOfNamespace(
  namespace: ImportedObject,
  infos: readonly SleepInfo[],
  wantedOf: (infos: readonly SleepInfo[]) => Wanted,
): Wanted {
  const isForAll = (info: SleepInfo) =>
    !info.spec.includeRef?.length && heirs(namespace).every((each) => sleeps(info, each))
  if (!infos.every(isForAll)) return leftAlone()
  const wanted = wantedOf(infos)
  const excluded = infos.flatMap(({ spec }) => spec.excludeRef ?? [])
  if (!excluded.some(({ matchLabels = {} }) => Object.keys(matchLabels).length > 0)) return wanted
  return {
    ...wanted,
    differs: [
      ...wanted.differs,
      'what comes with an excluded label later needs its own dormouse.dev/enabled=false',
    ],
  }
}

const CHANGED = 'a patch of its SleepInfo changed what an import does not put back'
const PATCHED = 'a patch of its SleepInfo put it to sleep, which Dormouse cannot do'
const NOT_LOOKED_AT = 'Dormouse does not look at its kind, or did not find it'
const NOT_MEANT = 'it is asleep, and kube-green would leave it so: no SleepInfo means it any more'

/** An object, the settings that kube-green's SleepInfos ask for, and what their Secrets keep of it, the latest last. */
interface KubeGreenObject extends Omit<Planned, 'wanted'> {
  readonly asked: Wanted
  readonly kept: readonly Restore[]
  /** Inherited before this import. */
  readonly before: Wanted
  /** Whether a patch of a SleepInfo says how it sleeps. */
  readonly isPatched: boolean
  readonly place: string
}

function objectSteps({ asked, kept, before, isPatched: hasPatch, place, ...found }: KubeGreenObject): Step[] {
  const { object, inherited, now } = found
  const restore = kept.at(-1) ?? {}
  if (isOwned(object)) return isEmpty(restore) ? [] : [byHand(object, OF_ANOTHER, restore, place)]
  const refuse = (why: string) => [byHand(object, why, restore, place, inherited)]
  if (asked.refused !== undefined) return refuse(asked.refused)
  const { count, bounds, rest } = restorable(object, restore)
  const isAsleep = isAtRest(object)
  const planned = { ...found, wanted: isAsleep ? asLatest(asked, kept) : asItIs(asked, now) }
  const { wanted } = planned
  const more = isEmpty(rest) ? [] : [byHand(object, CHANGED, rest, place)]
  if (bounds) return [putBack(object, bounds), ...more]
  // Others than this import may have policies for what kube-green left alone.
  const isOthers = !wanted.enabled && (!canSleep(object) || saysWanted(inherited) === saysWanted(before))
  const annotations = isOthers ? {} : annotationsOf(wanted, inherited)
  if (count === undefined) return isEmpty(rest) ? stepOf(object, wanted, annotations) : refuse(CHANGED)
  if (!wanted.enabled && hasPatch) return refuse(PATCHED)
  if (!wanted.enabled && isAsleep) return refuse(NOT_MEANT)
  if (isAsleep) return [adoptionOf(planned, count), ...more]
  const stale = ['it is awake: what kube-green kept is out of date']
  return [...stepOf(object, wanted, annotations, stale), ...cleaningUp(planned), ...more]
}

/** A workload that a person woke in hours of sleep stays awake until the next sleep, by awake-until. */
function asItIs(wanted: Wanted, now: Instant): Wanted {
  if (!wanted.enabled || !wanted.autoWake) return wanted
  const schedule = compileSchedule(wanted.schedule, wanted.timezone)
  const begin = schedule.stateAt(now) === 'asleep' ? schedule.nextEdge(now) : undefined
  return begin ? { ...wanted, awakeUntil: begin.at } : wanted
}

/** Several SleepInfos keep a count if people woke the workload in between. */
function asLatest(wanted: Wanted, kept: readonly Restore[]): Wanted {
  const counts = new Set(kept.map((each) => JSON.stringify(each)))
  if (counts.size < 2) return wanted
  const differs = [...wanted.differs, 'its SleepInfos keep several counts: this is the latest']
  return { ...wanted, differs }
}

function putBack(object: ImportedObject, spec: MergePatch): Step {
  return { object, verdict: 'mapped', says: [`put back: ${asciiJson(spec)}`], patch: { spec } }
}

/** Leaves a kept patch to a person: anybody who may write in the namespace may have written it. */
function byHand(
  object: ImportedObject,
  why: string,
  restore: Restore,
  place: string,
  inherited?: Wanted,
): Step {
  const command = isEmpty(restore) ? [] : commandFor(object, restore, place)
  return refusalOf(object, [why, ...command], inherited)
}

const A_NAME = /^[a-z0-9](?:[-a-z0-9.]*[a-z0-9])?$/

/** The command for it, unless Kubernetes allows no object of that name. */
function commandFor(
  { apiVersion, kind, metadata }: ImportedObject,
  restore: Restore,
  place: string,
): string[] {
  const { namespace = '', name } = metadata
  const group = groupOf(apiVersion)
  const resource = `${kind}${group === '' ? '' : `.${group}`}`.toLowerCase()
  if (![resource, namespace, name].every((each) => A_NAME.test(each))) return []
  const target = commandLine('kubectl', 'patch', resource, name, '-n', namespace)
  return [
    `by hand, once you have read it: ${target}${place} --type merge ${commandLine('-p', asciiJson(restore))}`,
  ]
}

function isEmpty(restore: Restore): boolean {
  return Object.keys(restore).length === 0
}
