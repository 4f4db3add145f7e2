import { isRecord, list, text } from './object.ts'
import type { KubeObject, LabelSelector } from './object.ts'

export interface Rule {
  operations: string[]
  apiGroups: string[]
  apiVersions: string[]
  resources: string[]
  scope: string
}

/** A condition in CEL. */
export interface MatchCondition {
  name: string
  expression: string
}

/** One webhook of a MutatingWebhookConfiguration, as the sandbox calls it. */
export interface Webhook {
  name: string
  /** Undefined when the configuration names a Service. */
  url: string | undefined
  /** PEM; undefined: the CAs that Node trusts. */
  caBundle: string | undefined
  rules: Rule[]
  namespaceSelector: LabelSelector
  objectSelector: LabelSelector
  matchConditions: MatchCondition[]
  failurePolicy: 'Fail' | 'Ignore'
  timeoutSeconds: number
}

/** Sets the API server's defaults. */
export function withWebhookDefaults(configuration: KubeObject): KubeObject {
  if (!Array.isArray(configuration['webhooks'])) return configuration
  return { ...configuration, webhooks: list(configuration, 'webhooks').map(defaulted) }
}

function defaulted(webhook: unknown): unknown {
  if (!isRecord(webhook)) return webhook
  const { clientConfig, rules } = webhook
  return {
    matchPolicy: 'Equivalent',
    reinvocationPolicy: 'Never',
    failurePolicy: 'Fail',
    namespaceSelector: {},
    objectSelector: {},
    timeoutSeconds: 10,
    ...webhook,
    ...(isRecord(clientConfig) && isRecord(clientConfig['service'])
      ? { clientConfig: { ...clientConfig, service: { port: 443, ...clientConfig['service'] } } }
      : {}),
    ...(Array.isArray(rules) ? { rules: rules.map(scoped) } : {}),
  }
}

const scoped = (rule: unknown) => (isRecord(rule) ? { scope: '*', ...rule } : rule)

/** The webhooks of a valid configuration, in their order. */
export function webhooksOf(configuration: KubeObject): Webhook[] {
  return list(configuration, 'webhooks').map((webhook) => {
    const record = isRecord(webhook) ? webhook : {}
    const clientConfig = record['clientConfig']
    const caBundle = text(clientConfig, 'caBundle')
    return {
      name: text(record, 'name'),
      url: text(clientConfig, 'url') || undefined,
      caBundle: caBundle === '' ? undefined : Buffer.from(caBundle, 'base64').toString(),
      rules: list(record, 'rules').map((rule) => ({
        operations: strings(rule, 'operations'),
        apiGroups: strings(rule, 'apiGroups'),
        apiVersions: strings(rule, 'apiVersions'),
        resources: strings(rule, 'resources'),
        scope: text(rule, 'scope'),
      })),
      namespaceSelector: selector(record['namespaceSelector']),
      objectSelector: selector(record['objectSelector']),
      matchConditions: list(record, 'matchConditions').map((each) => ({
        name: text(each, 'name'),
        expression: text(each, 'expression'),
      })),
      failurePolicy: record['failurePolicy'] === 'Ignore' ? 'Ignore' : 'Fail',
      timeoutSeconds: typeof record['timeoutSeconds'] === 'number' ? record['timeoutSeconds'] : 10,
    }
  })
}

const strings = (record: unknown, field: string) =>
  list(record, field).filter((each) => typeof each === 'string')

function selector(value: unknown): LabelSelector {
  const labels = isRecord(value) && isRecord(value['matchLabels']) ? Object.entries(value['matchLabels']) : []
  return {
    matchLabels: Object.fromEntries(labels.map(([key, label]) => [key, String(label)])),
    matchExpressions: list(value, 'matchExpressions').map((each) => ({
      key: text(each, 'key'),
      operator: text(each, 'operator'),
      values: strings(each, 'values'),
    })),
  }
}
