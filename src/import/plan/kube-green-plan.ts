import { asciiJson, commandLine } from './shell-words.ts'
import { canSleep, isAtRest, type ImportedObject, type MergePatch, type Step } from './imported-object.ts'
import { isReadable, keptIn, keptKey, keptOfOthers, restorable, type Restore } from './restores.ts'
import { annotationsOf, leftAlone, saysWanted, type Wanted } from './wanted.ts'
import type { InForce } from './in-force.ts'
import {
  hasPatch,
  isChosen,
  isOfKind,
  isSleepInfo,
  type SleepInfo,
  wantedBySleepInfos,
} from './sleep-info.ts'
import { adoptionOf, refusalOf, returning, stepOf } from './steps.ts'

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
 * The steps of an import there. SleepInfos go last, since their Secrets are deleted with them; they stay while an
 * object in a Secret is left to a person.
 */
export function planOfKubeGreen(
  { namespace, infos, secrets, objects }: LeftInNamespace,
  force: InForce,
): Step[] {
  const unreadable = secrets.filter((secret) => !isReadable(secret))
  // Without their counts its sleepers would be found at 0, and keep that.
  if (unreadable.length > 0)
    return [
      ...unreadable.map((secret) =>
        refusalOf(secret, ['what it keeps cannot be read, or not whole: its namespace is left as it is']),
      ),
      ...infos.map(staying),
    ]
  const kept = new Map(secrets.flatMap((secret) => [...keptIn(secret)]))
  const wide = settingsOfNamespace(namespace, infos)
  const annotations = wide.enabled
    ? annotationsOf(wide, besidePolicies(wide, [...heirs(namespace), ...objects], force))
    : {}
  const steps: Step[] = [
    ...(wide.enabled ? stepOf(namespace, wide, annotations) : []),
    ...objects.flatMap((each) =>
      objectSteps(each, infos, kept.get(keptKey(each)) ?? {}, {
        inherited: force.inherited(each, annotations),
        before: force.inherited(each),
        byPolicies: force.byPolicies(each),
      }),
    ),
    ...secrets
      .flatMap(keptOfOthers)
      .map(({ object, restore }) => byHand(object, 'Dormouse does not look at its kind', restore)),
  ]
  const isOpen = steps.some(({ verdict, object }) => verdict === 'refused' && kept.has(keptKey(object)))
  return [...steps, ...infos.map(isOpen ? staying : going)]
}

/** Also what comes later. */
function heirs({ metadata: { name: namespace } }: ImportedObject): ImportedObject[] {
  return ['Deployment', 'StatefulSet'].map((kind) => ({
    apiVersion: 'apps/v1',
    kind,
    metadata: { name: '', namespace },
  }))
}

/** Nothing of it is left to the policies in force, which may change. */
function besidePolicies({ autoWake }: Wanted, objects: readonly ImportedObject[], force: InForce): Wanted {
  const isSame = objects.every((each) => force.byPolicies(each).autoWake)
  return { ...leftAlone(), autoWake: isSame || !autoWake }
}

function staying(object: SleepInfo): Step {
  return refusalOf(object, ['it stays, since its Secret keeps what is left to be done by hand'])
}

function going(object: SleepInfo): Step {
  return { object, verdict: 'mapped', says: ['it goes, and its Secret with it'], goes: true }
}

/**
 * A single SleepInfo for all Deployments and StatefulSets can become settings of the Namespace, where new workloads
 * inherit them.
 */
function settingsOfNamespace(namespace: ImportedObject, infos: readonly SleepInfo[]): Wanted {
  const [info, ...others] = infos
  if (!info || others.length > 0 || info.spec.includeRef?.length) return leftAlone()
  const all = heirs(namespace).every((each) => isOfKind(info, each) && !hasPatch(info, each))
  if (!all) return leftAlone()
  const wanted = wantedBySleepInfos([info.spec])
  if (!info.spec.excludeRef?.some(({ matchLabels }) => matchLabels !== undefined)) return wanted
  return {
    ...wanted,
    differs: [
      ...wanted.differs,
      'what comes with an excluded label later needs its own dormouse.dev/enabled=false',
    ],
  }
}

const CHANGED = 'a patch of its SleepInfo changed what an import does not put back'

/** The settings that a workload inherits in the end, now, and from policies alone. */
interface Inherits {
  readonly inherited: Wanted
  readonly before: Wanted
  readonly byPolicies: Wanted
}

function objectSteps(
  object: ImportedObject,
  infos: readonly SleepInfo[],
  restore: Restore,
  { inherited, before, byPolicies }: Inherits,
): Step[] {
  const { count, bounds, rest } = restorable(object, restore)
  const chosen = infos.filter(
    (info) => isOfKind(info, object) && !hasPatch(info, object) && isChosen(info, object),
  )
  const wanted =
    canSleep(object) && chosen.length > 0 ? wantedBySleepInfos(chosen.map(({ spec }) => spec)) : leftAlone()
  if (wanted.refused !== undefined) return [refusal(object, wanted.refused, restore, inherited)]
  const more = isEmpty(rest) ? [] : [byHand(object, CHANGED, rest)]
  if (bounds) return [putBack(object, bounds), ...more]
  // Others than this import may have policies for what kube-green left alone.
  const isOthers = !wanted.enabled && (!canSleep(object) || saysWanted(inherited) === saysWanted(before))
  const annotations = isOthers ? {} : annotationsOf(wanted, inherited)
  if (count === undefined)
    return isEmpty(rest)
      ? stepOf(object, wanted, annotations)
      : [refusal(object, CHANGED, restore, inherited)]
  if (!wanted.enabled)
    return [
      refusal(
        object,
        'a patch of its SleepInfo put it to sleep, which Dormouse cannot do',
        restore,
        inherited,
      ),
    ]
  if (isAtRest(object)) return [adoptionOf(object, wanted, [inherited, byPolicies], count), ...more]
  const stale = ['it is awake: what kube-green kept is out of date']
  return [
    ...stepOf(object, wanted, annotations, stale),
    ...returning(object, wanted, [inherited, byPolicies]),
    ...more,
  ]
}

function putBack(object: ImportedObject, spec: MergePatch): Step {
  return { object, verdict: 'mapped', says: [`put back: ${asciiJson(spec)}`], patch: { spec } }
}

function refusal(object: ImportedObject, why: string, restore: Restore, inherited: Wanted): Step {
  const says = isEmpty(restore) ? [why] : [why, ...commandFor(object, restore)]
  return refusalOf(object, says, inherited)
}

/** Left to a person: anybody who may write in the namespace may have written the Secret. */
function byHand(object: ImportedObject, why: string, restore: Restore): Step {
  return refusalOf(object, [why, ...commandFor(object, restore)])
}

const A_NAME = /^[a-z0-9](?:[-a-z0-9.]*[a-z0-9])?$/

/** The command for it, unless Kubernetes allows no object of that name. */
function commandFor({ apiVersion, kind, metadata }: ImportedObject, restore: Restore): string[] {
  const { namespace = '', name } = metadata
  const group = apiVersion.replace(/\/.*|^v1$/, '')
  const resource = `${kind}${group === '' ? '' : `.${group}`}`.toLowerCase()
  if (![resource, namespace, name].every((each) => A_NAME.test(each))) return []
  const target = commandLine('kubectl', 'patch', resource, name, '-n', namespace)
  return [`by hand, once you have read it: ${target} --type merge ${commandLine('-p', asciiJson(restore))}`]
}

function isEmpty(restore: Restore): boolean {
  return Object.keys(restore).length === 0
}
