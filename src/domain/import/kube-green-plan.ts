import { MAX_REPLICAS } from '../workload.ts'
import { formatRequest, REQUEST_ANNOTATION } from '../requests/annotation.ts'
import { canSleep, isAtRest, type ImportedObject, type MergePatch, type Step } from './imported-object.ts'
import { isReadable, keptIn, keptKey, keptOfOthers, type Restore } from './restores.ts'
import { annotationsOf } from './settings.ts'
import { hasPatch, isChosen, isOfKind, isSleepInfo, type SleepInfo } from './sleep-info-object.ts'
import { wantedBySleepInfos } from './sleep-info.ts'
import { refusalOf, stepOf } from './steps.ts'
import { leftAlone, type Wanted } from './wanted.ts'

/** What kube-green left in one namespace. */
export interface LeftInNamespace {
  readonly namespace: ImportedObject
  readonly infos: readonly SleepInfo[]
  /** Those of the SleepInfos. */
  readonly secrets: readonly ImportedObject[]
  readonly objects: readonly ImportedObject[]
}

/** What was found, by namespaces that have a SleepInfo. */
export function byNamespace(found: readonly ImportedObject[]): LeftInNamespace[] {
  const infos = found.filter(isSleepInfo)
  return [...new Set(infos.map(({ metadata }) => metadata.namespace))].map((name) => {
    const here = found.filter(({ metadata }) => metadata.namespace === name)
    return {
      namespace: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: name ?? '' } },
      infos: infos.filter(({ metadata }) => metadata.namespace === name),
      secrets: here.filter(
        ({ kind, metadata }) => kind === 'Secret' && metadata.name.startsWith('sleepinfo-'),
      ),
      objects: here.filter(({ kind }) => kind !== 'Secret' && kind !== 'SleepInfo'),
    }
  })
}

/**
 * What an import does there. SleepInfos go last, since their Secrets go with them; those stay while something that they
 * keep is left to be done by hand.
 */
export function planOfKubeGreen({ namespace, infos, secrets, objects }: LeftInNamespace): Step[] {
  const kept = new Map(secrets.flatMap((secret) => [...keptIn(secret)]))
  const wide = settingsOfNamespace(infos)
  const others = secrets.flatMap(keptOfOthers)
  const unreadable = secrets.filter((secret) => !isReadable(secret))
  const steps: Step[] = [
    ...(wide.enabled ? stepOf(namespace, wide, annotationsOf(wide)) : []),
    ...objects.flatMap((each) => objectStep(each, infos, kept.get(keptKey(each)), wide)),
    ...others.map(({ object, restore }) =>
      refusal(object, 'Dormouse does not look at its kind', restore, leftAlone()),
    ),
    ...unreadable.map((secret) => refusalOf(secret, ['what it keeps cannot be read whole'], leftAlone())),
  ]
  const isOpen =
    unreadable.length > 0 ||
    steps.some(({ verdict, object }) => verdict === 'refused' && kept.has(keptKey(object)))
  const gone: Step[] = infos.map((object) =>
    isOpen
      ? {
          object,
          verdict: 'refused',
          says: ['it stays, since its Secret keeps what is left to be done by hand'],
        }
      : { object, verdict: 'mapped', says: ['it goes, and its Secret with it'], goes: true },
  )
  return [...steps, ...gone]
}

/** One SleepInfo for all Deployments and StatefulSets can stand on the Namespace, where new workloads inherit it. */
function settingsOfNamespace(infos: readonly SleepInfo[]): Wanted {
  const [info, ...others] = infos
  if (!info || others.length > 0 || info.spec.includeRef?.length) return leftAlone()
  const inherit = ['Deployment', 'StatefulSet'].map((kind) => ({
    apiVersion: 'apps/v1',
    kind,
    metadata: { name: '' },
  }))
  const all = inherit.every((each) => isOfKind(info, each) && !hasPatch(info, each))
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

function objectStep(
  object: ImportedObject,
  infos: readonly SleepInfo[],
  restore: Restore | undefined,
  wide: Wanted,
): Step[] {
  const inherited = ['Deployment', 'StatefulSet'].includes(object.kind) ? wide : leftAlone()
  const chosen = infos.filter(
    (info) => isOfKind(info, object) && !hasPatch(info, object) && isChosen(info, object),
  )
  const wanted =
    canSleep(object) && chosen.length > 0 ? wantedBySleepInfos(chosen.map(({ spec }) => spec)) : leftAlone()
  if (wanted.refused !== undefined) return [refusal(object, wanted.refused, restore, inherited)]
  if (restore === undefined) return stepOf(object, wanted, annotationsOf(wanted, inherited))
  const count = countIn(restore)
  if (count !== undefined && !isAtRest(object) && wanted.enabled)
    return stepOf(object, wanted, annotationsOf(wanted, inherited), [
      'it is awake: what kube-green kept is out of date',
    ])
  if (count !== undefined && wanted.enabled) {
    const request = { [REQUEST_ANNOTATION]: formatRequest({ verb: 'adopt', count }) }
    const annotations = { ...annotationsOf(wanted, inherited), ...request }
    return stepOf(object, wanted, annotations, [`adopted asleep, ${count} kept`])
  }
  if (!isHarmless(restore))
    return [
      refusal(
        object,
        changesWhatRuns(restore)
          ? 'a patch of its SleepInfo put it to sleep, which Dormouse cannot do'
          : 'a patch of its SleepInfo changed more than its spec',
        restore,
        inherited,
      ),
    ]
  return [
    {
      object,
      verdict: 'mapped',
      says: [`put back: ${JSON.stringify(restore)}`],
      patch: restore as MergePatch,
    },
  ]
}

/** The count to wake with, where putting it back is a wake. */
function countIn({ spec }: Restore): number | undefined {
  if (spec?.suspend === false) return 1
  const { replicas = 0 } = spec ?? {}
  return Number.isInteger(replicas) && replicas > 0 && replicas <= MAX_REPLICAS ? replicas : undefined
}

/**
 * Whether it may be put back as the Secret has it, by whoever imports and with their rights: who may write in the
 * namespace may have written that, and in metadata stands what Dormouse and others are asked.
 */
function isHarmless(restore: Restore): boolean {
  return !changesWhatRuns(restore) && Object.keys(restore).every((field) => field === 'spec')
}

function changesWhatRuns({ spec = {} }: Restore): boolean {
  return ['replicas', 'suspend', 'template'].some((field) => field in spec)
}

function refusal(object: ImportedObject, why: string, restore: Restore | undefined, inherited: Wanted): Step {
  const byHand =
    restore === undefined ? [] : [`by hand: kubectl patch --type merge -p '${JSON.stringify(restore)}'`]
  return refusalOf(object, [why, ...byHand], inherited)
}
