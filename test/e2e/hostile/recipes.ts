import {
  ANNOTATION,
  ASLEEP_LABEL,
  KINDS,
  MAX_REPLICAS,
  SNOOZE_KEY,
  type Kind,
} from '../../../src/domain/workload/workload.ts'
import { asleepNow } from '../../support/schedules.ts'
import { HOSTILE_HISTORIES, hostileStates, state } from './states.ts'

const KIB = 1024

/** An unexpected part of an object. It is merged into a manifest, or sent as a merge patch. */
export interface Recipe {
  readonly name: string
  readonly kind: Kind
  readonly metadata?: object
  readonly spec?: object
}

/** An object that owns others. */
export interface Owning {
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
  readonly uid: string
}

const annotations = (texts: Readonly<Record<string, string | null>>) => ({ metadata: { annotations: texts } })
const label = (value: string) => ({ metadata: { labels: { [ASLEEP_LABEL]: value } } })
const nodeSelector = (value: unknown) => ({ spec: { template: { spec: { nodeSelector: value } } } })

type Parts = Readonly<Record<string, Pick<Recipe, 'metadata' | 'spec'>>>

function ofMarks(kind: Kind): Parts {
  const states = Object.entries(hostileStates(kind)).map(([name, text]) => [
    name,
    annotations({ [ANNOTATION.state]: text }),
  ])
  const histories = Object.entries(HOSTILE_HISTORIES).map(([name, text]) => [
    name,
    annotations({ [ANNOTATION.state]: state(kind), [ANNOTATION.history]: text }),
  ])
  return {
    ...(Object.fromEntries([...states, ...histories]) as Parts),
    'enabled-odd': annotations({ [ANNOTATION.enabled]: ' TRUE\n' }),
    'schedule-100-kib': annotations({ [ANNOTATION.schedule]: '8:00-18:00;'.repeat(9 * KIB) }),
    'schedule-unicode': annotations({ [ANNOTATION.schedule]: '８:００-1８:00,Ｍon\u0000' }),
    'timezone-100-kib': annotations({ [ANNOTATION.timezone]: 'Europe/'.repeat(14 * KIB) }),
    'timezone-path': annotations({ [ANNOTATION.timezone]: '../../etc/localtime' }),
    'annotations-full': annotations({ 'example.com/notes': 'x'.repeat(255 * KIB + 700) }),
    'names-of-objects': {
      metadata: {
        annotations: {
          constructor: 'x',
          toString: 'x',
          'dormouse.dev/constructor': 'x',
          'dormouse.dev/valueOf': '',
        },
        labels: { constructor: 'x', hasOwnProperty: 'x', 'dormouse.dev/toString': 'x' },
      },
    },
    'label-alone': label('4'),
    'label-20-digits': label('99999999999999999999'),
    'label-2-31': label('2147483648'),
    'label-octal': label('007'),
    'label-empty': label(''),
    'label-word': label('NaN'),
    'key-false': nodeSelector({ [SNOOZE_KEY]: 'false', disk: 'ssd' }),
    'key-empty': nodeSelector({ [SNOOZE_KEY]: '' }),
    'key-and-label': { ...label('3'), ...nodeSelector({ [SNOOZE_KEY]: 'true' }) },
  }
}

function ofSpec(kind: Kind): Parts {
  if (kind === 'cronjobs') return { 'suspended-by-hand': { spec: { suspend: true } } }
  const deployments: Parts = {
    'ready-in-68-years': {
      spec: { minReadySeconds: MAX_REPLICAS - 1, progressDeadlineSeconds: MAX_REPLICAS },
    },
    paused: { spec: { paused: true } },
    'paused-most': { spec: { paused: true, replicas: MAX_REPLICAS } },
    'no-history': { spec: { revisionHistoryLimit: 0, strategy: { type: 'Recreate', rollingUpdate: null } } },
  }
  const statefulSets: Parts = {
    'volumes-deleted': {
      spec: { persistentVolumeClaimRetentionPolicy: { whenScaled: 'Delete', whenDeleted: 'Delete' } },
    },
    'from-999': { spec: { ordinals: { start: 999 } } },
  }
  return {
    ...(kind === 'deployments'
      ? deployments
      : { 'ready-in-68-years': { spec: { minReadySeconds: MAX_REPLICAS } } }),
    ...(kind === 'statefulsets' ? statefulSets : {}),
    ...(kind === 'daemonsets'
      ? {}
      : { 'replicas-null': { spec: { replicas: null } }, 'replicas-0': { spec: { replicas: 0 } } }),
    'selector-null': nodeSelector(null),
    'template-marked': {
      spec: {
        template: { metadata: { annotations: { [ANNOTATION.state]: '{', [ANNOTATION.enabled]: 'true' } } },
      },
    },
  }
}

function ofMetadata(owner: Owning): Parts {
  const gone = { apiVersion: 'example.com/v1', kind: 'Wheel', name: '\u202eжж', uid: 'nobody' }
  const entry = (manager: string, index: number) => ({
    manager,
    operation: 'Update',
    apiVersion: 'apps/v1',
    time: '9999-12-31T23:59:59Z',
    fieldsType: 'FieldsV1',
    fieldsV1: { 'f:spec': { 'f:replicas': {} }, 'f:metadata': { [`f:x${index}`]: {} } },
  })
  return {
    'owner-controls': {
      metadata: { ownerReferences: [{ ...owner, controller: true, blockOwnerDeletion: true }] },
    },
    'owner-beside': { metadata: { ownerReferences: [owner, { ...owner, controller: false }] } },
    'owner-unknown': { metadata: { ownerReferences: [{ ...gone, controller: true }] } },
    deleting: { metadata: { finalizers: ['example.com/hold'] } },
    'managers-100': {
      metadata: { managedFields: Array.from({ length: 100 }, (_, index) => entry(`m${index}`, index)) },
    },
    'managers-ours': {
      metadata: {
        managedFields: [
          { ...entry('dormouse', 1), subresource: 'scale' },
          { ...entry('dormouse', 2), operation: 'Apply' },
          entry('dormouse', 3),
          { ...entry('kube-controller-manager', 4), subresource: 'scale' },
        ],
      },
    },
    'managers-none': { metadata: { managedFields: [{}] } },
  }
}

/**
 * All recipes: managed, and by their hours asleep now, unless they say otherwise. `everyKind`: each for all kinds, or for
 * one of them in turn.
 */
export function recipes(owner: Owning, everyKind: boolean): Recipe[] {
  const managed = { [ANNOTATION.enabled]: 'true', [ANNOTATION.schedule]: asleepNow() }
  const parts = new Map(
    KINDS.map((kind) => [kind, { ...ofMarks(kind), ...ofSpec(kind), ...ofMetadata(owner) }]),
  )
  const names = new Set([...parts.values()].flatMap((some) => Object.keys(some)))
  return [...names].flatMap((name, turn) => {
    const having = KINDS.filter((kind) => parts.get(kind)?.[name])
    const chosen = everyKind ? having : having.slice(turn % having.length).slice(0, 1)
    return chosen.flatMap((kind): Recipe[] => {
      const { metadata = {}, spec } = parts.get(kind)?.[name] ?? {}
      const annotations = { ...managed, ...(metadata as { annotations?: object }).annotations }
      return [
        { name: `${name}-${kind}`, kind, metadata: { ...metadata, annotations }, ...(spec && { spec }) },
      ]
    })
  })
}
