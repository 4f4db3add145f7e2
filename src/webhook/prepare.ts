import { allow, deny, type AdmissionDecision } from '../domain/admission/decision.ts'
import { about } from '../domain/admission/messages.ts'
import { kindOf } from '../domain/kinds.ts'
import { PROBE_LABEL, probeAnswer } from '../domain/workload.ts'
import { jsonOf } from './json.ts'
import { hasTooManyEntries, isTooDense, MOST_ENTRIES, SMALL_BODY } from './limits.ts'
import { readReview, type ReviewRequest } from './review.ts'
import { trimScales, type ScaleReview } from './scale.ts'
import { reviewWorkload, type Asking, type WorkloadDeps } from './workload.ts'

export type Webhook = 'scale' | 'workloads' | 'probe'

/** A review, decided as far as that needs no I/O; plain data, as a thread can send it. */
export type Prepared =
  | {
      readonly type: 'refused'
      readonly status: 400 | 413 | 503
      readonly message: string
      /** Of the review, if known: then we deny it, since the API server might ignore a failure. */
      readonly uid?: string
    }
  /** The workload that it scales has to be read. */
  | { readonly type: 'scale'; readonly review: ScaleReview }
  /** Whether its user may ask for what it asks has to be found out. Without its objects. */
  | { readonly type: 'asking'; readonly review: ReviewRequest; readonly asking: Asking }
  /** Without its objects. */
  | { readonly type: 'decided'; readonly review: ReviewRequest; readonly decision: AdmissionDecision }
  /** Deciding it threw, by a fault of ours. */
  | { readonly type: 'failed'; readonly review: ReviewRequest; readonly error: unknown }

/** Parses a body, and decides on the review as far as that needs no I/O; never throws. */
export function prepare(webhook: Webhook, body: Uint8Array, deps: WorkloadDeps): Prepared {
  if (body.length > SMALL_BODY && isTooDense(body)) {
    const uid = uidIn(body)
    const message = 'the review has more values than a Kubernetes object can have'
    return { type: 'refused', status: 413, message, ...(uid === undefined ? {} : { uid }) }
  }
  const read = readReview(parsed(body))
  if (typeof read === 'string') return { type: 'refused', status: 400, message: read }
  if (webhook === 'scale') return { type: 'scale', review: trimScales(read) }
  const review = { ...read, object: undefined, oldObject: undefined }
  try {
    const decision = decided(webhook, read, deps)
    if (decision.type === 'asking') return { type: 'asking', review, asking: decision }
    return { type: 'decided', review, decision }
  } catch (error) {
    return { type: 'failed', review, error }
  }
}

function decided(
  webhook: 'workloads' | 'probe',
  review: ReviewRequest,
  deps: WorkloadDeps,
): AdmissionDecision | Asking {
  if (hasTooManyEntries(review)) return tooManyEntries(review)
  return webhook === 'probe' ? reviewProbe(review) : reviewWorkload(review, deps)
}

function tooManyEntries({ resource, namespace, name }: ReviewRequest): AdmissionDecision {
  const says = `has more than ${MOST_ENTRIES.toLocaleString('en')} labels or annotations: Dormouse checks no more than that`
  const kind = kindOf(resource.group, resource.resource)
  const message = kind ? about({ kind, namespace, name }, says) : `Dormouse: the object ${says}`
  return deny('too_large', message)
}

/** The nonce in the leader's probe: strangers get no other text back. */
const NONCE = /^[0-9a-f]{16}$/

/** A review of the leader's own dry run, which proves that API servers reach us: the answer repeats its nonce. */
function reviewProbe({ object }: ReviewRequest): AdmissionDecision {
  const nonce = jsonOf(jsonOf(jsonOf(object).metadata).labels)[PROBE_LABEL]
  return allow('probe', typeof nonce === 'string' && NONCE.test(nonce) ? [probeAnswer(nonce)] : [])
}

/** The beginning of a review as API servers write it: enough to deny one that is not parsed. */
const HEAD =
  /^\{"kind":"AdmissionReview","apiVersion":"admission\.k8s\.io\/v1","request":\{"uid":"([\w-]{1,128})"/

function uidIn(body: Uint8Array): string | undefined {
  return HEAD.exec(textOf(body.subarray(0, 512)))?.[1]
}

/** As API servers write it after the resource and before the objects. */
const NAMESPACE = /"namespace":"([-a-z0-9]{1,63})","operation":"/

/** The namespace of the object under review, unparsed; empty: it is not where API servers write it. */
export function namespaceIn(body: Uint8Array): string {
  return NAMESPACE.exec(textOf(body.subarray(0, 4096)))?.[1] ?? ''
}

function parsed(body: Uint8Array): unknown {
  try {
    return JSON.parse(textOf(body))
  } catch {
    return undefined
  }
}

function textOf({ buffer, byteOffset, length }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, length).toString('utf8')
}
