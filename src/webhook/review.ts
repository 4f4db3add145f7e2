import { Ajv } from 'ajv'
import type { PatchOperation } from '../domain/patch.ts'

/** What we read of an AdmissionReview request (`admission.k8s.io/v1`). */
export interface ReviewRequest {
  readonly uid: string
  readonly operation: string
  readonly namespace: string
  readonly name: string
  /** Of `apps/v1`: `deployments`. */
  readonly resource: { readonly group: string; readonly version: string; readonly resource: string }
  readonly subResource: string
  readonly userInfo: { readonly username: string }
  readonly options: { readonly fieldManager?: string }
  readonly object: unknown
  readonly oldObject: unknown
  readonly dryRun: boolean
}

/** An AdmissionReview answer, for Kubernetes' sake with its status and patch in place. */
export interface ReviewAnswer {
  readonly apiVersion: 'admission.k8s.io/v1'
  readonly kind: 'AdmissionReview'
  readonly response: {
    readonly uid: string
    readonly allowed: boolean
    readonly status?: { readonly code: number; readonly message: string; readonly reason: string }
    readonly warnings?: readonly string[]
    readonly patchType?: 'JSONPatch'
    readonly patch?: string
  }
}

/** kubectl shows longer warnings cut. */
const LONGEST_WARNING = 256

export function allow(uid: string, warnings: readonly string[] = []): ReviewAnswer {
  return answer({ uid, allowed: true, ...spoken(warnings) })
}

export function deny(
  uid: string,
  message: string,
  code = 403,
  warnings: readonly string[] = [],
): ReviewAnswer {
  const reason = code === 403 ? 'Forbidden' : code === 400 ? 'BadRequest' : 'ServiceUnavailable'
  return answer({ uid, allowed: false, status: { code, message, reason }, ...spoken(warnings) })
}

export function patched(
  uid: string,
  operations: readonly PatchOperation[],
  warnings: readonly string[],
): ReviewAnswer {
  const patch = Buffer.from(JSON.stringify(operations)).toString('base64')
  return answer({ uid, allowed: true, patchType: 'JSONPatch', patch, ...spoken(warnings) })
}

function answer(response: ReviewAnswer['response']): ReviewAnswer {
  return { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response }
}

function spoken(warnings: readonly string[]): { warnings?: readonly string[] } {
  return warnings.length === 0 ? {} : { warnings: warnings.map((each) => clip(each)) }
}

function clip(text: string): string {
  return text.length > LONGEST_WARNING ? `${text.slice(0, LONGEST_WARNING - 1)}…` : text
}

const text = { type: 'string' }
const atMost = (maxLength: number) => ({ type: 'string', maxLength })
/** Characters of a DNS subdomain, which an object's name is, and of a DNS label, which a Namespace's is (RFC 1123). */
const NAME = 253
const LABEL = 63
const DNS_LABEL = '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$'
const DNS_SUBDOMAIN = '^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$'
const validate = new Ajv({ strict: true }).compile<{
  request: Partial<ReviewRequest> & Pick<ReviewRequest, 'uid' | 'operation' | 'resource' | 'userInfo'>
}>({
  type: 'object',
  required: ['apiVersion', 'kind', 'request'],
  properties: {
    apiVersion: { const: 'admission.k8s.io/v1' },
    kind: { const: 'AdmissionReview' },
    request: {
      type: 'object',
      required: ['uid', 'operation', 'resource', 'userInfo'],
      properties: {
        uid: { type: 'string', minLength: 1, maxLength: 128 },
        operation: atMost(LABEL),
        namespace: { type: 'string', maxLength: LABEL, pattern: DNS_LABEL },
        name: text,
        subResource: atMost(NAME),
        resource: {
          type: 'object',
          required: ['group', 'version', 'resource'],
          properties: { group: atMost(NAME), version: atMost(LABEL), resource: atMost(NAME) },
        },
        userInfo: { type: 'object', properties: { username: text } },
        options: { type: ['object', 'null'], properties: { fieldManager: text } },
        dryRun: { type: 'boolean' },
      },
      // The API server checks a new object's name only after it has asked us, or is yet to make one of generateName.
      if: { properties: { operation: { const: 'CREATE' } } },
      else: {
        required: ['namespace', 'name'],
        properties: { namespace: text, name: { type: 'string', maxLength: NAME, pattern: DNS_SUBDOMAIN } },
      },
    },
  },
})

/** The request of a review; a text where it is none that we understand, saying why. */
export function readReview(document: unknown): ReviewRequest | string {
  if (!validate(document)) {
    const [fault] = validate.errors ?? []
    return `not an AdmissionReview of admission.k8s.io/v1: ${fault?.instancePath || '/'} ${fault?.message ?? ''}`
  }
  const { request } = document
  const { name = '', namespace = '', operation } = request
  const { group, version, resource } = request.resource
  const manager = request.options?.fieldManager
  const isNamed = (object: unknown) => operation === 'CREATE' || bearsName(object, namespace, name)
  if (!isNamed(request.object) || !isNamed(request.oldObject))
    return "not a review that we understand: its objects' metadata names another object than its request"
  return {
    uid: request.uid,
    operation,
    namespace,
    name,
    resource: { group, version, resource },
    subResource: request.subResource ?? '',
    userInfo: { username: request.userInfo.username ?? '' },
    options: manager === undefined ? {} : { fieldManager: manager },
    object: request.object,
    oldObject: request.oldObject,
    dryRun: request.dryRun ?? false,
  }
}

/** Or there is nothing to compare. The API server takes an object without a namespace for one of the request's. */
function bearsName(object: unknown, namespace: string, name: string): boolean {
  if (typeof object !== 'object' || object === null || !('metadata' in object)) return true
  const { metadata } = object
  if (typeof metadata !== 'object' || metadata === null) return true
  const own = metadata as { readonly name?: unknown; readonly namespace?: unknown }
  return own.name === name && (own.namespace ?? namespace) === namespace
}
