import type { AdmissionAttributes } from './admission-review.ts'
import type { KubeObject } from '../store/object.ts'
import { matches } from '../store/selectors.ts'
import type { Rule, Webhook } from '../store/webhook-configuration.ts'

const GROUP = 'admissionregistration.k8s.io'
const anyOr = (values: string[], wanted: string) => values.includes('*') || values.includes(wanted)

/**
 * Whether any rule matches this write. Writes of webhook configurations are never reviewed, so that a broken one
 * can always be repaired. matchPolicy Equivalent is left out: no resource of the sandbox has two versions.
 */
export function isNamed({ rules }: Webhook, write: AdmissionAttributes): boolean {
  return write.resource.group !== GROUP && rules.some((rule) => names(rule, write))
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

/**
 * Whether the webhook's selectors match. `labelsOf`: a Namespace's labels by its name. Objects that are neither in a
 * Namespace nor one match every namespaceSelector.
 */
export function isSelected(
  webhook: Webhook,
  write: AdmissionAttributes,
  labelsOf: (namespace: string) => Record<string, string>,
): boolean {
  const { namespace, object, oldObject, resource } = write
  const own = resource.plural === 'namespaces' ? (object ?? oldObject) : undefined
  if (own && !matches(webhook.namespaceSelector, labels(own))) return false
  if (!own && namespace !== undefined && !matches(webhook.namespaceSelector, labelsOf(namespace)))
    return false
  const { matchLabels, matchExpressions = [] } = webhook.objectSelector
  if (Object.keys(matchLabels ?? {}).length === 0 && matchExpressions.length === 0) return true
  return [object, oldObject].some(
    (each) => each !== undefined && matches(webhook.objectSelector, labels(each)),
  )
}

const labels = (object: KubeObject) => object.metadata.labels ?? {}
