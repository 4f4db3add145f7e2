import { isDeepStrictEqual } from 'node:util'
import { isRecord, list, text, valueAt, type JsonRecord, type KubeObject } from './object.ts'
import type { Resource } from './resources.ts'
import { groupVersion } from './resources.ts'
import { matches } from './selectors.ts'
import { badRequest, invalid, required, wrong } from './status.ts'
import type { Cause } from './status.ts'

const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/
const LABEL_VALUE = /^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$/

/** The types of the fields that the sandbox reads: a value of another would break it. */
const TYPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  metadata: isRecord,
  'metadata.name': isText,
  'metadata.generateName': isText,
  'metadata.namespace': isText,
  'metadata.uid': isText,
  'metadata.resourceVersion': isText,
  'metadata.labels': areTexts,
  'metadata.annotations': areTexts,
  'metadata.ownerReferences': areRecords,
  'metadata.managedFields': areRecords,
  spec: isRecord,
  status: isRecord,
  'spec.replicas': Number.isSafeInteger,
  'spec.suspend': (value) => typeof value === 'boolean',
  'spec.selector': isRecord,
  'spec.selector.matchLabels': areTexts,
  'spec.template': isRecord,
  'spec.template.metadata': isRecord,
  'spec.template.metadata.labels': areTexts,
  'spec.template.metadata.annotations': areTexts,
  'spec.template.spec': isRecord,
  'spec.template.spec.nodeSelector': areTexts,
}

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
  for (const [path, isOfType] of Object.entries(TYPES)) {
    const value = valueAt(body, path)
    if (value != null && !isOfType(value))
      throw badRequest(
        `${resource.kind} in version "${resource.version}" cannot be handled as a ${resource.kind}: ` +
          `json: cannot unmarshal into field ${path}`,
      )
  }
  return withoutNulls({ metadata: {}, ...body, apiVersion, kind }) as KubeObject
}

function isText(value: unknown): boolean {
  return typeof value === 'string'
}

function areTexts(value: unknown): boolean {
  return isRecord(value) && Object.values(value).every(isText)
}

function areRecords(value: unknown): boolean {
  return Array.isArray(value) && value.every(isRecord)
}

/** A copy without nulls: in a typed API, null and absent are the same. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (!isRecord(value)) return value
  const result: JsonRecord = {}
  for (const key of Object.keys(value)) if (value[key] != null) result[key] = withoutNulls(value[key])
  return result
}

/** Those of the API server's rules that people break by hand. @throws StatusError 422 with all faults as causes */
export function validate(resource: Resource, object: KubeObject, previous?: KubeObject): void {
  const causes: Cause[] = [...metadata(object)]
  if (resource.group === 'apps') causes.push(...spec(object, previous))
  if (causes.length > 0) throw invalid(resource, object.metadata.name, causes)
}

function* metadata({ metadata: { name, labels = {} } }: KubeObject): Generator<Cause> {
  if (name.length > 253 || !SUBDOMAIN.test(name))
    yield wrong(
      'metadata.name',
      `"${name}"`,
      'a lowercase RFC 1123 name must consist of alphanumerics, - or .',
    )
  for (const value of Object.values(labels))
    if (!LABEL_VALUE.test(value))
      yield wrong(
        'metadata.labels',
        `"${value}"`,
        'a valid label must be an empty string or at most 63 characters of alphanumerics, -, _ or .',
      )
}

function* spec(object: KubeObject, previous: KubeObject | undefined): Generator<Cause> {
  const { replicas = 0, selector, template } = object.spec ?? {}
  if (replicas < 0) yield wrong('spec.replicas', replicas, 'must be greater than or equal to 0')
  if (!selector) yield required('spec.selector')
  else if (!matches(selector, template?.metadata?.labels ?? {}))
    yield wrong(
      'spec.template.metadata.labels',
      JSON.stringify(template?.metadata?.labels ?? {}),
      '`selector` does not match template `labels`',
    )
  if (previous && !isDeepStrictEqual(previous.spec?.selector, selector))
    yield wrong('spec.selector', JSON.stringify(selector), 'field is immutable')
  if (list(template?.spec, 'containers').some((container) => text(container, 'name') === ''))
    yield required('spec.template.spec.containers[].name')
}
