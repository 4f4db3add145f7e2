import { isRecord, flag, listOf, mapOf, orNull, part, text, type ValueOf } from '../../domain/json-schema.ts'
import { compile, firstFault } from '../../domain/validation.ts'
import { Refusal, type ErrorCode } from '../../process/errors.ts'
import type { ClusterUser } from '../../kubernetes/ports.ts'
import { SMALL_BODY } from './routes.ts'

/** The parts of an AdmissionReview request (`admission.k8s.io/v1`) that we read. */
export interface ReviewRequest {
  readonly uid: string
  readonly operation: string
  readonly namespace: string
  readonly name: string
  /** `apps`, `v1`, `deployments` */
  readonly resource: { readonly group: string; readonly version: string; readonly resource: string }
  readonly subResource: string
  readonly userInfo: ClusterUser
  readonly options: { readonly fieldManager?: string }
  readonly object: unknown
  readonly oldObject: unknown
  readonly dryRun: boolean
}

/**
 * Why a review could not be decided, and the error where not even its uid can be read; `unchecked`: the cluster did not
 * show the workload.
 */
const CODE = {
  too_large: 'PAYLOAD_TOO_LARGE',
  too_many: 'RATE_LIMITED',
  too_late: 'RATE_LIMITED',
  unexpected: 'VALIDATION_ERROR',
  unchecked: 'CLUSTER_UNAVAILABLE',
  failed: 'INTERNAL',
} as const satisfies Record<string, ErrorCode>
export type Cause = keyof typeof CODE

/** Thrown where a review cannot be read or decided; the message is for the person who writes. */
export class Unread extends Refusal {
  readonly reason: Cause

  constructor(reason: Cause, message: string) {
    super(CODE[reason], message)
    this.reason = reason
  }
}

/** Characters: objects have DNS subdomains for names, Namespaces DNS labels (RFC 1123). */
const NAME = 253
const LABEL = 63
const DNS_LABEL = '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$'
const DNS_SUBDOMAIN = '^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$'
const name = { ...text, maxLength: NAME }
const label = { ...text, maxLength: LABEL }
const texts = orNull(listOf(text))

const USER = part({}, { username: text, uid: text, groups: texts, extra: orNull(mapOf(texts)) })
const REQUEST = part(
  {
    uid: { ...text, minLength: 1, maxLength: 128 },
    operation: label,
    resource: part({ group: name, version: label, resource: name }),
    userInfo: USER,
  },
  {
    namespace: { ...label, pattern: DNS_LABEL },
    name: text,
    subResource: name,
    options: orNull(part({}, { fieldManager: text })),
    object: {},
    oldObject: {},
    dryRun: flag,
  },
)
const isReview = compile(
  part({
    apiVersion: { const: 'admission.k8s.io/v1' },
    kind: { const: 'AdmissionReview' },
    request: {
      ...REQUEST,
      // The API server checks the name of a new object, or makes it from generateName, only after it has asked us.
      if: { properties: { operation: { const: 'CREATE' } } },
      else: part({ namespace: text, name: { ...name, pattern: DNS_SUBDOMAIN } }),
    },
  }),
)

/** JSON values in a body. The densest review of two objects of 1.5 MiB has some 250,000, mostly managedFields. */
const MOST_VALUES = 300_000
const [QUOTE, BACKSLASH, COMMA, BRACKET, BRACE] = Buffer.from('"\\,[{')

/** The request of the review in this body. @throws Unread when it is not a review that we understand */
export function parseReview(body: Uint8Array): ReviewRequest {
  if (isTooDense(body))
    throw new Unread('unexpected', 'the review has more values than a Kubernetes object can have')
  let document: unknown
  try {
    document = JSON.parse(textOf(body))
  } catch {
    // It is read as one that is not there.
  }
  return readReview(document)
}

/**
 * Whether a JSON body has more values than any real review: parsing 4 MiB of `{}` takes a quarter of a second and 200
 * MiB. A small body has no room for so many, and is not looked through.
 */
export function isTooDense(body: Uint8Array): boolean {
  if (body.length <= SMALL_BODY) return false
  let values = 0
  let isText = false
  for (let at = 0; at < body.length; at++) {
    const byte = body[at]
    if (isText) {
      if (byte === BACKSLASH) at++
      else if (byte === QUOTE) isText = false
    } else if (byte === QUOTE) isText = true
    else if ((byte === COMMA || byte === BRACKET || byte === BRACE) && ++values > MOST_VALUES) return true
  }
  return false
}

/** @throws Unread */
function readReview(document: unknown): ReviewRequest {
  if (!isReview(document))
    throw new Unread('unexpected', `not an AdmissionReview of admission.k8s.io/v1: ${firstFault(isReview)}`)
  const { request } = document
  const { name = '', namespace = '', operation } = request
  const { group, version, resource } = request.resource
  const manager = request.options?.fieldManager
  const isNamed = (object: unknown) => operation === 'CREATE' || hasName(object, namespace, name)
  if (!isNamed(request.object) || !isNamed(request.oldObject))
    throw new Unread('unexpected', 'its objects have another name or namespace than the request')
  return {
    uid: request.uid,
    operation,
    namespace,
    name,
    resource: { group, version, resource },
    subResource: request.subResource ?? '',
    userInfo: userOf(request.userInfo),
    options: manager === undefined ? {} : { fieldManager: manager },
    object: request.object,
    oldObject: request.oldObject,
    dryRun: request.dryRun ?? false,
  }
}

/** Bytes: API servers write what a review is about before its objects. */
export const LONGEST_HEAD = 64 * 1024
/** The places where the objects may begin; a user may put such a key earlier. */
const OBJECTS = /,"(?:object|oldObject)":/g
const MOST_TRIES = 8

/**
 * The request of a review of which only the beginning is there: without its options and its objects. undefined: it is not
 * one that an API server wrote, or its beginning is too long.
 */
export function readHead(body: Uint8Array): ReviewRequest | undefined {
  const head = textOf(body.subarray(0, LONGEST_HEAD))
  for (const { index } of [...head.matchAll(OBJECTS)].slice(0, MOST_TRIES)) {
    try {
      return readReview(JSON.parse(`${head.slice(0, index)}}}`))
    } catch (error) {
      if (!(error instanceof SyntaxError || error instanceof Unread)) throw error
    }
  }
  return undefined
}

function textOf({ buffer, byteOffset, length }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, length).toString('utf8')
}

function userOf({ username = '', uid = '', groups, extra }: ValueOf<typeof USER>): ClusterUser {
  const named = Object.entries(extra ?? {}).map(([name, values]) => [name, values ?? []])
  return { username, uid, groups: groups ?? [], extra: Object.fromEntries(named) as ClusterUser['extra'] }
}

/** Whether the object has this name, if any. Without a namespace the API server assumes the request's. */
function hasName(object: unknown, namespace: string, name: string): boolean {
  if (!isRecord(object) || !isRecord(object.metadata)) return true
  const { metadata } = object
  return metadata.name === name && (metadata.namespace ?? namespace) === namespace
}
