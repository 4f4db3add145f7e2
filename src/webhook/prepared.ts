import { about } from '../domain/admission/messages.ts'
import { isKind } from '../domain/workload.ts'
import type { Answered } from './answered.ts'
import type { Prepared, Webhook, WebhookDeps } from './deps.ts'
import { reviewProbe } from './probe.ts'
import { deny, readReview, type ReviewRequest } from './review.ts'
import { hasTooManyEntries, isTooDense, section, SMALL_BODY } from './size.ts'
import { reviewWorkload } from './workload.ts'

/** Parses a body and judges it as far as that needs nothing but the review; never throws. */
export function prepared(
  webhook: Webhook,
  body: Uint8Array,
  deps: Pick<WebhookDeps, 'rules' | 'clock' | 'trim'>,
): Prepared {
  if (body.length > SMALL_BODY && isTooDense(body)) {
    const uid = uidIn(body)
    const message = 'Dormouse: the review has more values than an object of Kubernetes can have'
    return { type: 'refused', status: 413, message, ...(uid === undefined ? {} : { uid }) }
  }
  const read = readReview(parsed(body))
  if (typeof read === 'string') return refused(400, read)
  const objects = webhook === 'scale' ? [read.object, read.oldObject].map(scaleIn) : []
  const review: ReviewRequest = { ...read, object: objects[0], oldObject: objects[1] }
  if (webhook === 'scale') return { type: 'review', review, answered: undefined }
  if (hasTooManyEntries(read)) return { type: 'review', review, answered: tooManyEntries(read) }
  try {
    const answered = webhook === 'probe' ? reviewProbe(read) : reviewWorkload(read, deps)
    return { type: 'review', review, answered }
  } catch (error) {
    return { type: 'failed', review, error }
  }
}

/** What is looked at of a Scale, which is an object of any size where it is forged. */
function scaleIn(object: unknown): object {
  const { metadata, spec } = section(object)
  const { uid, resourceVersion } = section(metadata)
  const { replicas } = section(spec)
  return {
    metadata: {
      ...(typeof uid === 'string' && { uid }),
      ...(typeof resourceVersion === 'string' && { resourceVersion }),
    },
    spec: { ...(typeof replicas === 'number' && { replicas }) },
  }
}

function tooManyEntries({ uid, resource, namespace, name }: ReviewRequest): Answered {
  const says = 'has more than 4,096 labels or annotations: it takes no more'
  const kind = resource.resource
  const message = isKind(kind) ? about({ kind, namespace, name }, says) : `Dormouse: this ${says}`
  return { answer: deny(uid, message), decision: 'denied', reason: 'too_large' }
}

/** As the API server begins a review, of which more is not parsed. */
const HEAD =
  /^\{"kind":"AdmissionReview","apiVersion":"admission\.k8s\.io\/v1","request":\{"uid":"([\w-]{1,128})"/

function uidIn(body: Uint8Array): string | undefined {
  return HEAD.exec(
    Buffer.from(body.buffer, body.byteOffset, Math.min(body.length, 512)).toString('latin1'),
  )?.[1]
}

function refused(status: 400, message: string): Prepared {
  return { type: 'refused', status, message }
}

function parsed(body: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(body.buffer, body.byteOffset, body.length).toString('utf8'))
  } catch {
    return undefined
  }
}
