import { isRecord, list, text } from './object.ts'
import type { JsonRecord, KubeObject, LabelSelector } from './object.ts'
import { required, wrong } from './status.ts'
import type { Cause } from './status.ts'

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

const NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?){2,}$/
const OPERATIONS = ['*', 'CREATE', 'UPDATE', 'DELETE', 'CONNECT']
const POLICIES = ['Fail', 'Ignore']
const SIDE_EFFECTS = ['None', 'NoneOnDryRun']

/** The most common faults of webhook configurations. */
export function* webhookFaults(configuration: KubeObject): Generator<Cause> {
  const names = new Set<string>()
  for (const [index, webhook] of list(configuration, 'webhooks').entries()) {
    const place = `webhooks[${index}]`
    if (!isRecord(webhook)) continue
    const name = text(webhook, 'name')
    if (name === '') yield required(`${place}.name`)
    else if (!NAME.test(name))
      yield wrong(
        `${place}.name`,
        `"${name}"`,
        'should be a domain with at least three segments separated by dots',
      )
    else if (names.has(name)) yield wrong(`${place}.name`, `"${name}"`, 'Duplicate value')
    names.add(name)
    yield* faults(webhook, place)
    yield* clientFaults(webhook['clientConfig'], `${place}.clientConfig`)
    for (const [at, rule] of list(webhook, 'rules').entries())
      yield* ruleFaults(rule, `${place}.rules[${at}]`)
  }
}

function* faults(webhook: JsonRecord, place: string): Generator<Cause> {
  const { timeoutSeconds: timeout } = webhook
  const [sideEffects, failurePolicy] = [text(webhook, 'sideEffects'), text(webhook, 'failurePolicy')]
  if (!SIDE_EFFECTS.includes(sideEffects))
    yield sideEffects === ''
      ? required(`${place}.sideEffects`)
      : wrong(`${place}.sideEffects`, sideEffects, `supported values: ${SIDE_EFFECTS.join(', ')}`)
  if (!POLICIES.includes(failurePolicy))
    yield wrong(`${place}.failurePolicy`, failurePolicy, `supported values: ${POLICIES.join(', ')}`)
  if (typeof timeout !== 'number' || !Number.isInteger(timeout) || timeout < 1 || timeout > 30)
    yield wrong(`${place}.timeoutSeconds`, String(timeout), 'the timeout must be between 1 and 30 seconds')
  if (!strings(webhook, 'admissionReviewVersions').includes('v1'))
    yield wrong(`${place}.admissionReviewVersions`, '', 'must include v1')
}

function* clientFaults(clientConfig: unknown, place: string): Generator<Cause> {
  const url = text(clientConfig, 'url')
  const hasService = isRecord(clientConfig) && isRecord(clientConfig['service'])
  if (hasService === (url !== '')) {
    yield { reason: 'FieldValueRequired', field: place, message: 'exactly one of url or service is required' }
    return
  }
  if (hasService) return
  const parsed = URL.parse(url)
  if (parsed?.protocol !== 'https:')
    yield wrong(`${place}.url`, `"${url}"`, "'https' is the only allowed URL scheme")
  else if (parsed.search !== '' || parsed.hash !== '' || parsed.username !== '')
    yield wrong(
      `${place}.url`,
      `"${url}"`,
      'user information, fragments and query parameters are not permitted',
    )
}

function* ruleFaults(rule: unknown, place: string): Generator<Cause> {
  for (const field of ['operations', 'apiGroups', 'apiVersions', 'resources'])
    if (strings(rule, field).length === 0) yield required(`${place}.${field}`)
  for (const operation of strings(rule, 'operations'))
    if (!OPERATIONS.includes(operation))
      yield wrong(`${place}.operations`, `"${operation}"`, `supported values: ${OPERATIONS.join(', ')}`)
}
