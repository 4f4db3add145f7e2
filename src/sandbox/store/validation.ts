import { isDeepStrictEqual } from 'node:util'
import { definitionFaults, DEFINITIONS } from './custom-resources.ts'
import { isRecord, list, text } from './object.ts'
import type { JsonRecord, KubeObject } from './object.ts'
import type { Resource } from './resources.ts'
import { groupVersion } from './resources.ts'
import { matches } from './selectors.ts'
import { badRequest, invalid, required, wrong } from './status.ts'
import type { Cause } from './status.ts'
import { webhookFaults } from './webhook-configuration.ts'

const LABEL = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/
const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/
const QUALIFIED_NAME = /^([a-z0-9.-]{1,253}\/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/
const LABEL_VALUE = /^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$/
const ANNOTATIONS_LIMIT = 256 * 1024

/**
 * Reads a body as an object of this resource. Only the fields that the sandbox reads are checked.
 * @throws StatusError 400
 */
export function asObject(resource: Resource, body: unknown): KubeObject {
  if (!isRecord(body)) throw badRequest('the request body is not an object')
  const apiVersion = body['apiVersion'] ?? groupVersion(resource)
  const kind = body['kind'] ?? resource.kind
  if (apiVersion !== groupVersion(resource) || kind !== resource.kind)
    throw badRequest(
      `the API version and kind in the data ${JSON.stringify([apiVersion, kind])} do not match the expected ` +
        `(${groupVersion(resource)}, ${resource.kind})`,
    )
  const metadata = isRecord(body['metadata']) ? body['metadata'] : {}
  for (const field of ['labels', 'annotations']) strings(resource, metadata[field], `metadata.${field}`)
  for (const field of ['name', 'generateName', 'namespace', 'uid', 'resourceVersion'])
    if (metadata[field] != null && typeof metadata[field] !== 'string')
      throw mistyped(resource, `metadata.${field}`, 'string')
  for (const field of ['ownerReferences', 'managedFields'])
    if (metadata[field] != null && !(Array.isArray(metadata[field]) && metadata[field].every(isRecord)))
      throw mistyped(resource, `metadata.${field}`, 'list of objects')
  for (const field of ['spec', 'status'])
    if (body[field] != null && !isRecord(body[field])) throw mistyped(resource, field, 'object')
  if (resource.group === 'apps') workload(resource, body['spec'])
  if (resource.kind === 'CronJob') suspension(resource, body['spec'])
  if (resource.kind === 'Secret') secretData(resource, body['data'])
  const { webhooks } = body
  if (
    resource.generation === 'webhooks' &&
    webhooks != null &&
    !(Array.isArray(webhooks) && webhooks.every(isRecord))
  )
    throw mistyped(resource, 'webhooks', 'list of objects')
  const object: unknown = withoutNulls({ ...body, apiVersion, kind, metadata })
  if (!isObject(object)) throw badRequest('the request body is not a Kubernetes object')
  return object
}

function isObject(value: unknown): value is KubeObject {
  return isRecord(value) && isRecord(value['metadata'])
}

/** A copy without nulls: in a typed API, null and absent are the same. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (!isRecord(value)) return value
  const result: JsonRecord = {}
  for (const key of Object.keys(value)) if (value[key] != null) result[key] = withoutNulls(value[key])
  return result
}

function workload(resource: Resource, spec: unknown): void {
  if (!isRecord(spec)) return
  const replicas = spec['replicas']
  if (replicas != null && !Number.isSafeInteger(replicas)) throw mistyped(resource, 'spec.replicas', 'int32')
  const template = spec['template']
  for (const [path, value] of [
    ['spec.selector', spec['selector']],
    ['spec.template', template],
    ['spec.template.metadata', isRecord(template) ? template['metadata'] : undefined],
    ['spec.template.spec', isRecord(template) ? template['spec'] : undefined],
  ] as const)
    if (value != null && !isRecord(value)) throw mistyped(resource, path, 'object')
  if (isRecord(spec['selector']))
    strings(resource, spec['selector']['matchLabels'], 'spec.selector.matchLabels')
  if (!isRecord(template)) return
  const [meta, pod] = [template['metadata'], template['spec']]
  if (isRecord(meta))
    for (const field of ['labels', 'annotations'])
      strings(resource, meta[field], `spec.template.metadata.${field}`)
  if (isRecord(pod)) strings(resource, pod['nodeSelector'], 'spec.template.spec.nodeSelector')
}

function suspension(resource: Resource, spec: unknown): void {
  const suspend = isRecord(spec) ? spec['suspend'] : undefined
  if (suspend != null && typeof suspend !== 'boolean') throw mistyped(resource, 'spec.suspend', 'bool')
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

function secretData(resource: Resource, data: unknown): void {
  strings(resource, data, 'data')
  for (const [key, value] of Object.entries(data ?? {}))
    if (!BASE64.test(String(value).replaceAll(/[\r\n]/g, '')))
      throw badRequest(
        `Secret in version "v1" cannot be handled as a Secret: illegal base64 data in field data.${key}`,
      )
}

function strings(resource: Resource, value: unknown, path: string): void {
  if (value == null) return
  if (!isRecord(value) || Object.values(value).some((each) => typeof each !== 'string'))
    throw mistyped(resource, path, 'map of strings')
}

const mistyped = (resource: Resource, path: string, expected: string) =>
  badRequest(
    `${resource.kind} in version "${resource.version}" cannot be handled as a ${resource.kind}: ` +
      `json: cannot unmarshal into field ${path}: expected ${expected}`,
  )

/** @throws StatusError 422 with all faults as causes */
export function validate(resource: Resource, object: KubeObject, previous?: KubeObject): void {
  const causes: Cause[] = [...metadata(resource, object)]
  if (resource.group === 'apps') causes.push(...spec(resource, object, previous))
  if (resource === DEFINITIONS) causes.push(...definitionFaults(object))
  if (resource.kind === 'CronJob') causes.push(...cronJob(object))
  if (resource.kind === 'Secret') causes.push(...secret(object, previous))
  if (resource.generation === 'webhooks') causes.push(...webhookFaults(object))
  if (causes.length > 0) throw invalid(resource, object.metadata.name, causes)
}

function* metadata(resource: Resource, { metadata }: KubeObject): Generator<Cause> {
  const { name, labels = {}, annotations = {} } = metadata
  const namePattern = resource.plural === 'namespaces' ? LABEL : SUBDOMAIN
  if (name.length > 253 || !namePattern.test(name))
    yield wrong(
      'metadata.name',
      `"${name}"`,
      'a lowercase RFC 1123 name must consist of alphanumerics, - or .',
    )
  for (const [key, value] of Object.entries(labels)) {
    if (!QUALIFIED_NAME.test(key)) yield wrong('metadata.labels', `"${key}"`, 'not a qualified name')
    if (!LABEL_VALUE.test(value))
      yield wrong(
        'metadata.labels',
        `"${value}"`,
        'a valid label must be an empty string or at most 63 characters of alphanumerics, -, _ or .',
      )
  }
  let size = 0
  for (const [key, value] of Object.entries(annotations)) {
    size += key.length + value.length
    if (!QUALIFIED_NAME.test(key.toLowerCase()))
      yield wrong('metadata.annotations', `"${key}"`, 'not a qualified name')
  }
  if (size > ANNOTATIONS_LIMIT)
    yield {
      reason: 'FieldValueInvalid',
      field: 'metadata.annotations',
      message: `Too long: may not be more than ${ANNOTATIONS_LIMIT} bytes`,
    }
}

function* cronJob({ spec }: KubeObject): Generator<Cause> {
  if (text(spec, 'schedule') === '') yield required('spec.schedule')
  if (!isRecord(spec?.['jobTemplate'])) yield required('spec.jobTemplate')
}

const TLS_KEYS = ['tls.crt', 'tls.key']

function* secret(object: KubeObject, previous: KubeObject | undefined): Generator<Cause> {
  const { type, data } = object
  if (previous && previous['type'] !== type)
    yield wrong('type', `"${text(object, 'type')}"`, 'field is immutable')
  if (type !== 'kubernetes.io/tls') return
  for (const key of TLS_KEYS) if (!isRecord(data) || !Object.hasOwn(data, key)) yield required(`data[${key}]`)
}

function* spec(resource: Resource, object: KubeObject, previous: KubeObject | undefined): Generator<Cause> {
  const { replicas = 0, selector, template } = object.spec ?? {}
  if (replicas < 0) yield wrong('spec.replicas', replicas, 'must be greater than or equal to 0')
  if (!selector) yield required('spec.selector')
  else if (!matches(selector, template?.metadata?.labels ?? {}))
    yield wrong(
      'spec.template.metadata.labels',
      JSON.stringify(template?.metadata?.labels ?? {}),
      '`selector` does not match template `labels`',
    )
  if (previous && !isDeepStrictEqual(previous.spec?.selector, selector)) {
    const shown = JSON.stringify(selector)
    if (resource.plural === 'statefulsets')
      yield {
        reason: 'FieldValueForbidden',
        field: 'spec',
        message: 'Forbidden: updates to statefulset spec.selector are forbidden',
      }
    else yield wrong('spec.selector', shown, 'field is immutable')
  }
  const containers = list(template?.spec, 'containers')
  if (containers.length === 0) yield required('spec.template.spec.containers')
  for (const [index, container] of containers.entries())
    for (const field of ['name', 'image'])
      if (text(container, field) === '') yield required(`spec.template.spec.containers[${index}].${field}`)
}
