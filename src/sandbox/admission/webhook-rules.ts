import { isDeepStrictEqual } from 'node:util'
import { ANNOTATION, HELD_LABEL, OWN_LABELS, SNOOZE_KEY } from '../../domain/workload/workload.ts'
import { isRecord, type JsonRecord, type KubeObject } from '../store/object.ts'
import { matches } from '../store/selectors.ts'
import type { MatchCondition, Rule, Webhook } from '../store/webhook-configuration.ts'
import type { AdmissionAttributes } from './admission-review.ts'

const GROUP = 'admissionregistration.k8s.io'
const anyOr = (values: string[], wanted: string) => values.includes('*') || values.includes(wanted)

/**
 * Whether the webhook is to be called for a write. `labelsOf`: a Namespace's labels by its name. Writes of webhook
 * configurations are never reviewed, so that a broken one can always be repaired. matchPolicy Equivalent is left out: no
 * resource of the sandbox has two versions.
 */
export function concerns(
  webhook: Webhook,
  write: AdmissionAttributes,
  labelsOf: (namespace: string) => Record<string, string>,
): boolean {
  return (
    write.resource.group !== GROUP &&
    webhook.rules.some((rule) => names(rule, write)) &&
    isSelected(webhook, write, labelsOf) &&
    areMet(webhook.matchConditions, write)
  )
}

function names(
  rule: Rule,
  { operation, resource, subresource = '', namespace }: AdmissionAttributes,
): boolean {
  return (
    anyOr(rule.operations, operation) &&
    anyOr(rule.apiGroups, resource.group) &&
    anyOr(rule.apiVersions, resource.version) &&
    rule.resources.some((pattern) => {
      const [plural = '', sub = ''] = pattern.split('/')
      return anyOr([plural], resource.plural) && anyOr([sub], subresource)
    }) &&
    (rule.scope === '*' ||
      (rule.scope === 'Namespaced') === (resource.plural !== 'namespaces' && namespace !== undefined))
  )
}

/** Objects that are neither in a Namespace nor one match every namespaceSelector. */
function isSelected(
  webhook: Webhook,
  write: AdmissionAttributes,
  labelsOf: (namespace: string) => Record<string, string>,
): boolean {
  const { namespace, object, oldObject, resource } = write
  const ofNamespace =
    resource.plural === 'namespaces'
      ? labels(object)
      : namespace === undefined
        ? undefined
        : labelsOf(namespace)
  if (ofNamespace && !matches(webhook.namespaceSelector, ofNamespace)) return false
  return [object, oldObject].some(
    (each) => each !== undefined && matches(webhook.objectSelector, labels(each)),
  )
}

const labels = (object: KubeObject) => object.metadata.labels ?? {}

type Holds = (expression: string, write: AdmissionAttributes) => boolean

/**
 * Those of Dormouse's conditions by which two webhooks divide writes between them: both would else be called. They are
 * known by their names, since the expressions would take CEL; all others Dormouse's handler checks itself.
 */
const CONDITIONS: Readonly<Record<string, Holds>> = {
  'is-held': isListed,
  'is-not-held': (expression, write) => !isListed(expression, write),
  'breaks-hold': (_, write) => breaksHold(write),
  'breaks-no-hold': (_, write) => !breaksHold(write),
  'changes-state': (_, write) => changesState(write),
  'keeps-state': (_, write) => !changesState(write),
}

function areMet(conditions: readonly MatchCondition[], write: AdmissionAttributes): boolean {
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

function changesState({ object, oldObject, subresource }: AdmissionAttributes): boolean {
  if (!object || !oldObject) return false
  const of = subresource === 'status' ? marksOf : stateOf
  return !isDeepStrictEqual(of(object), of(oldObject))
}

function stateOf({ metadata: { annotations = {}, labels = {} } }: KubeObject): readonly unknown[] {
  const texts = [ANNOTATION.state, ANNOTATION.history].map((key) => annotations[key])
  return [...texts, ...OWN_LABELS.map((key) => labels[key])]
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
