import { isDeepStrictEqual } from 'node:util'
import { ANNOTATION, HELD_LABEL, OWN_LABELS, SNOOZE_KEY } from '../../domain/workload/workload.ts'
import { isRecord, type JsonRecord, type KubeObject } from '../store/object.ts'
import type { MatchCondition } from '../store/webhook-configuration.ts'
import type { AdmissionAttributes } from './admission-review.ts'

type Holds = (expression: string, write: AdmissionAttributes) => boolean

/**
 * Of Dormouse's conditions, those by which two webhooks divide writes between them: both would else be called. They are
 * known by their names, since the expressions would take CEL; all others Dormouse's handler checks itself.
 */
const CONDITIONS: Readonly<Record<string, Holds>> = {
  'is-held': isListed,
  'is-not-held': (expression, write) => !isListed(expression, write),
  'breaks-hold': (_, write) => breaksHold(write),
  'breaks-no-hold': (_, write) => !breaksHold(write),
}

export function areMet(conditions: readonly MatchCondition[], write: AdmissionAttributes): boolean {
  return conditions.every(({ name, expression }) => CONDITIONS[name]?.(expression, write) ?? true)
}

function isListed(expression: string, { resource, namespace = '', name }: AdmissionAttributes): boolean {
  return expression.includes(`'${resource.plural}/${namespace}/${name}'`)
}

function breaksHold({ object, oldObject, subresource }: AdmissionAttributes): boolean {
  if (!object || oldObject?.metadata.labels?.[HELD_LABEL] === undefined) return false
  const parts = subresource === 'status' ? [marksOf] : [marksOf, fieldsOf]
  return parts.some((of) => !isDeepStrictEqual(of(object), of(oldObject)))
}

function marksOf({ metadata }: KubeObject): readonly unknown[] {
  const { annotations = {}, labels = {} } = metadata
  const ours = Object.values(ANNOTATION).map((key) => annotations[key])
  return [...ours, ...OWN_LABELS.map((key) => labels[key]), metadata['ownerReferences']]
}

/** The sandbox serves no kind whose count stands elsewhere. */
function fieldsOf(object: KubeObject): readonly unknown[] {
  const spec = recordOf(object['spec'])
  const nodeSelector = recordOf(recordOf(recordOf(spec['template'])['spec'])['nodeSelector'])
  return [spec['replicas'], spec['suspend'], nodeSelector[SNOOZE_KEY]]
}

function recordOf(value: unknown): JsonRecord {
  return isRecord(value) ? value : {}
}
