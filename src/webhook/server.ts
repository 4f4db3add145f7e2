import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { about } from '../domain/admission/messages.ts'
import { isKind } from '../domain/workload.ts'
import { answered, type Answered } from './answered.ts'
import { Bodies, Body } from './bodies.ts'
import { CurrentWorkloads } from './current.ts'
import { isExempt } from './exempt.ts'
import type { Prepared, Webhook, WebhookDeps } from './deps.ts'
import { prepared } from './prepared.ts'
import { allow, deny, type ReviewAnswer } from './review.ts'
import { reviewScale } from './scale.ts'
import { SMALL_BODY } from './size.ts'
import { Slices } from './slices.ts'

/** Milliseconds that a body may still arrive after it was turned away: closed at once, the answer would be lost. */
const LINGER = 1000
/** Characters: Kubernetes bounds no user's name, nor that of an object before it is created. */
const LONGEST_LOGGED = 256

const WEBHOOKS: Readonly<Record<string, Webhook>> = {
  '/webhook/scale': 'scale',
  '/webhook/workloads': 'workloads',
  '/webhook/probe': 'probe',
}

/** Answers admission reviews on `/webhook/scale`, `/webhook/workloads` and `/webhook/probe`; undefined: the request is not for it. */
export function createWebhook(deps: WebhookDeps): (path: string) => RequestListener | undefined {
  const current = new CurrentWorkloads(deps.workloads, deps.live)
  const shared = { current, bodies: new Bodies(), slices: new Slices() }
  return (path) => {
    const webhook = WEBHOOKS[path]
    return webhook && ((request, response) => void serve(webhook, request, response, deps, shared))
  }
}

/** What all requests share. */
interface Shared {
  readonly current: CurrentWorkloads
  readonly bodies: Bodies
  readonly slices: Slices
}

async function serve(
  webhook: Webhook,
  request: IncomingMessage,
  response: ServerResponse,
  deps: WebhookDeps,
  { current, bodies, slices }: Shared,
): Promise<void> {
  const { logger, observer } = deps
  const begun = performance.now()
  const gone = new AbortController()
  const body = new Body(() => {
    gone.abort()
    turnAway(response)
  })
  response.once('close', () => gone.abort())
  try {
    if (request.method !== 'POST') return send(response, 405, deny('', 'POST an AdmissionReview', 400))
    const bytes = await bodies.read(request, body)
    if (response.headersSent) return void response.end()
    if (bytes === undefined) return send(response, 413, deny('', 'the review is larger than 8 MiB', 400))
    const ready = await (bytes.length <= SMALL_BODY
      ? slices.run(() => prepared(webhook, bytes, deps))
      : prepareLarge(webhook, bytes, gone.signal, deps))
    if (response.headersSent) return void response.end()
    bodies.release(body)
    if (ready.type === 'refused') {
      const { uid, status, message } = ready
      return send(response, uid === undefined ? status : 200, deny(uid ?? '', message, status))
    }
    const { review } = ready
    const { answer, decision, reason } = await judge(webhook, ready, deps, current)
    send(response, 200, answer)
    observer.admission(webhook, decision, reason, (performance.now() - begun) / 1000)
    const { userInfo, namespace, name, resource, dryRun } = review
    const fields = {
      webhook,
      decision,
      reason,
      user: cut(userInfo.username),
      workload: `${resource.resource}/${namespace}/${cut(name)}`,
      dryRun,
    }
    logger[decision === 'allowed' ? 'debug' : 'info'](fields, 'admission review')
  } catch (error) {
    if (response.headersSent) return void response.end()
    logger.debug({ err: error, webhook }, 'a review broke off')
    response.destroy()
  } finally {
    bodies.release(body)
  }
}

async function prepareLarge(
  webhook: Webhook,
  body: Uint8Array,
  gone: AbortSignal,
  { large, logger }: WebhookDeps,
): Promise<Prepared> {
  try {
    return await large.prepare(webhook, body, gone)
  } catch (error) {
    gone.throwIfAborted()
    logger.warn({ err: error, webhook, bytes: body.length }, 'a large review could not be prepared')
    return { type: 'refused', status: 503, message: 'this review takes too much to be checked' }
  }
}

/** A fault of ours never blocks a deploy, and never lets a held workload be scaled. */
async function judge(
  webhook: Webhook,
  ready: Exclude<Prepared, { type: 'refused' }>,
  deps: WebhookDeps,
  current: CurrentWorkloads,
): Promise<Answered> {
  const { review } = ready
  const { uid, userInfo, options, namespace } = review
  if (webhook === 'probe' && ready.type === 'review' && ready.answered) return ready.answered
  if (deps.excludeNamespaces.has(namespace)) {
    return answered(uid, { type: 'allow', reason: 'not_managed', warnings: [] })
  }
  if (isExempt(userInfo.username, options.fieldManager, deps)) {
    return answered(uid, { type: 'allow', reason: 'exempt', warnings: [] })
  }
  try {
    if (ready.type === 'failed') throw ready.error
    return ready.answered ?? (await reviewScale(review, deps, current))
  } catch (error) {
    deps.logger.error({ err: error, webhook, review: uid }, 'a review failed')
    const kind = review.resource.resource
    const says = `was not checked, by a fault of Dormouse: its log has the review ${uid}`
    const message = isKind(kind)
      ? about({ kind, namespace, name: review.name }, says)
      : `Dormouse: it ${says}`
    if (webhook === 'workloads')
      return { answer: allow(uid, [message]), decision: 'allowed', reason: 'failed' }
    return { answer: deny(uid, message, 503), decision: 'denied', reason: 'failed' }
  }
}

function cut(text: string): string {
  return text.length > LONGEST_LOGGED ? `${text.slice(0, LONGEST_LOGGED - 1)}…` : text
}

function send(response: ServerResponse, status: number, answer: ReviewAnswer): void {
  response.end(begin(response, status, answer))
}

/** The whole answer at once; the connection ends with the body, or soon. */
function turnAway(response: ServerResponse): void {
  response.setHeader('Connection', 'close')
  const message = 'reviews of more than 20 MiB are under way: try again'
  response.write(begin(response, 503, deny('', message, 503)))
  setTimeout(() => response.end(), LINGER).unref()
}

/** Sends nothing yet; the body to send. */
function begin(response: ServerResponse, status: number, answer: ReviewAnswer): string {
  const body = JSON.stringify(answer)
  response.writeHead(status, {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
  })
  return body
}
