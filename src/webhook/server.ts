import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { AdmissionDecision } from '../domain/admission/decision.ts'
import type { Namespace } from '../domain/policy/inheritance.ts'
import { admit, type AdmissionDeps } from './admission.ts'
import { answerOf, refusal, type RefusalStatus, type ReviewAnswer } from './answer.ts'
import { Bodies, Body } from './bodies.ts'
import { CurrentWorkloads } from './current-workloads.ts'
import type { LargeReviews } from './large-reviews.ts'
import { SMALL_BODY } from './limits.ts'
import type { LiveReader, Observer } from './ports.ts'
import { namespaceIn, prepare, type Prepared, type Webhook } from './prepare.ts'
import type { ReviewRequest } from './review.ts'
import { Slices } from './slices.ts'
import type { WorkloadDeps } from './workload.ts'

/** Milliseconds that a refused body may still arrive: if we closed the connection at once, the answer would be lost. */
const LINGER = 1000
/** Characters: Kubernetes limits neither user names nor the name of an object before it is created. */
const LONGEST_LOGGED = 256

const WEBHOOKS: Readonly<Record<string, Webhook>> = {
  '/webhook/scale': 'scale',
  '/webhook/held-scale': 'scale',
  '/webhook/workloads': 'workloads',
  '/webhook/held': 'workloads',
  '/webhook/probe': 'probe',
}

interface WebhookDeps extends AdmissionDeps, WorkloadDeps {
  /** undefined: it is not known. */
  readonly namespaceOf: (name: string) => Namespace | undefined
  readonly live: LiveReader
  readonly large: Pick<LargeReviews, 'prepare'>
  readonly observer: Observer
}

/** What all requests share. */
interface Shared extends WebhookDeps {
  readonly current: CurrentWorkloads
  readonly bodies: Bodies
  readonly slices: Slices
}

/** Answers admission reviews on `/webhook/scale`, `/webhook/workloads` and `/webhook/probe`; undefined: another path. */
export function createWebhook(deps: WebhookDeps): (path: string) => RequestListener | undefined {
  const current = new CurrentWorkloads(deps.workloads, deps.live)
  const shared: Shared = { ...deps, current, bodies: new Bodies(), slices: new Slices() }
  return (path) => {
    const webhook = WEBHOOKS[path]
    return webhook && ((request, response) => void serve(webhook, request, response, shared))
  }
}

async function serve(
  webhook: Webhook,
  request: IncomingMessage,
  response: ServerResponse,
  shared: Shared,
): Promise<void> {
  const { bodies, logger, observer } = shared
  const begun = performance.now()
  const gone = new AbortController()
  const body = new Body(() => {
    gone.abort()
    turnAway(response)
  })
  // An abort makes an error with a stack: not for each answered review.
  response.once('close', () => {
    if (!response.writableFinished) gone.abort()
  })
  try {
    if (request.method !== 'POST') return refuse(response, 405, 'POST an AdmissionReview')
    const bytes = await bodies.read(request, body)
    if (response.headersSent) return void response.end()
    if (bytes === undefined) return refuse(response, 413, 'the review is larger than 8 MiB')
    const prepared = await prepareFairly(webhook, bytes, gone.signal, shared)
    if (response.headersSent) return void response.end()
    bodies.release(body)
    if (prepared.type === 'refused') return refuse(response, prepared.status, prepared.message, prepared.uid)
    const decision = await admit(webhook, prepared, shared, shared.current)
    send(response, 200, answerOf(prepared.review.uid, decision))
    observer.admission(webhook, decision.type, decision.reason, (performance.now() - begun) / 1000)
    const level = decision.type === 'allowed' ? 'debug' : 'info'
    logger[level](fieldsOf(webhook, prepared.review, decision), 'admission review')
  } catch (error) {
    if (response.headersSent) return void response.end()
    logger.debug({ err: error, webhook }, 'a review broke off')
    response.destroy()
  } finally {
    bodies.release(body)
  }
}

/** Prepares a small review in its turn, and a large one in another thread. */
async function prepareFairly(
  webhook: Webhook,
  body: Uint8Array,
  gone: AbortSignal,
  shared: Shared,
): Promise<Prepared> {
  const { slices, large, logger, namespaceOf } = shared
  if (body.length <= SMALL_BODY) return await slices.run(() => prepare(webhook, body, shared))
  try {
    return await large.prepare(webhook, body, gone, namespaceOf(namespaceIn(body)))
  } catch (error) {
    gone.throwIfAborted()
    logger.warn({ err: error, webhook, bytes: body.length }, 'a large review could not be prepared')
    return { type: 'refused', status: 503, message: 'checking this review takes too much time or memory' }
  }
}

function fieldsOf(webhook: Webhook, review: ReviewRequest, { type, reason }: AdmissionDecision): object {
  const { userInfo, namespace, name, resource, dryRun } = review
  const workload = `${resource.resource}/${namespace}/${clip(name)}`
  return { webhook, decision: type, reason, user: clip(userInfo.username), workload, dryRun }
}

function clip(text: string): string {
  return text.length > LONGEST_LOGGED ? `${text.slice(0, LONGEST_LOGGED - 1)}…` : text
}

/** A review whose uid we know is denied with 200: the API server might ignore a failure. */
function refuse(response: ServerResponse, status: RefusalStatus, message: string, uid?: string): void {
  send(response, uid === undefined ? status : 200, refusal(status, message, uid))
}

function send(response: ServerResponse, status: number, answer: ReviewAnswer): void {
  response.end(begin(response, status, answer))
}

/** Answers 503 at once, and closes the connection once the body has ended, or soon. */
function turnAway(response: ServerResponse): void {
  response.setHeader('Connection', 'close')
  const message = 'reviews of more than 20 MiB are under way: try again'
  response.write(begin(response, 503, refusal(503, message)))
  setTimeout(() => response.end(), LINGER).unref()
}

/** Sends nothing yet; returns the body. */
function begin(response: ServerResponse, status: number, answer: ReviewAnswer): string {
  const body = JSON.stringify(answer)
  response.writeHead(status, {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
  })
  return body
}
