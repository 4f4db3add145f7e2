import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { answered, type Answered } from './answered.ts'
import { Bodies, Body } from './bodies.ts'
import { CurrentWorkloads } from './current.ts'
import { isExempt } from './exempt.ts'
import type { WebhookDeps } from './ports.ts'
import { allow, deny, readReview, type ReviewAnswer, type ReviewRequest } from './review.ts'
import { reviewScale } from './scale.ts'
import { reviewWorkload } from './workload.ts'

/** Milliseconds that a body may still arrive after it was turned away: closed at once, the answer would be lost. */
const LINGER = 1000
/** Characters: Kubernetes bounds no user's name, nor that of an object before it is created. */
const LONGEST_LOGGED = 256

const WEBHOOKS = { '/webhook/scale': 'scale', '/webhook/workloads': 'workloads' } as const
type Webhook = (typeof WEBHOOKS)[keyof typeof WEBHOOKS]

/** Answers admission reviews on `/webhook/scale` and `/webhook/workloads`; undefined: the request is not for it. */
export function createWebhook(deps: WebhookDeps): (path: string) => RequestListener | undefined {
  const shared = { current: new CurrentWorkloads(deps.workloads, deps.live), bodies: new Bodies() }
  return (path) => {
    const webhook = (WEBHOOKS as Readonly<Record<string, Webhook>>)[path]
    return webhook && ((request, response) => void serve(webhook, request, response, deps, shared))
  }
}

/** What all requests share. */
interface Shared {
  readonly current: CurrentWorkloads
  readonly bodies: Bodies
}

async function serve(
  webhook: Webhook,
  request: IncomingMessage,
  response: ServerResponse,
  deps: WebhookDeps,
  { current, bodies }: Shared,
): Promise<void> {
  const { logger, observer } = deps
  const begun = performance.now()
  const body = new Body(() => turnAway(response))
  try {
    if (request.method !== 'POST') return send(response, 405, deny('', 'POST an AdmissionReview', 400))
    const text = await bodies.read(request, body)
    if (response.headersSent) return void response.end()
    if (text === undefined) return send(response, 413, deny('', 'the review is larger than 8 MiB', 400))
    const review = readReview(parsed(text))
    if (typeof review === 'string') return send(response, 400, deny('', review, 400))
    const { answer, decision, reason } = await judge(webhook, review, deps, current)
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
    logger.debug({ err: error, webhook }, 'a review broke off')
    response.destroy()
  } finally {
    bodies.release(body)
  }
}

/** A fault of ours never blocks a deploy, and never lets a held workload be scaled. */
async function judge(
  webhook: Webhook,
  review: ReviewRequest,
  deps: WebhookDeps,
  current: CurrentWorkloads,
): Promise<Answered> {
  const { uid, userInfo, options, namespace } = review
  if (deps.excludeNamespaces.has(namespace)) {
    return answered(uid, { type: 'allow', reason: 'not_managed', warnings: [] })
  }
  if (isExempt(userInfo.username, options.fieldManager, deps)) {
    return answered(uid, { type: 'allow', reason: 'exempt', warnings: [] })
  }
  try {
    if (webhook === 'workloads') return reviewWorkload(review, deps)
    return await reviewScale(review, deps, current)
  } catch (error) {
    deps.logger.error({ err: error, webhook, review: uid }, 'a review failed')
    const message = `Dormouse failed to check this; its log has the review ${uid}`
    if (webhook === 'workloads')
      return { answer: allow(uid, [message]), decision: 'allowed', reason: 'failed' }
    return { answer: deny(uid, message, 503), decision: 'denied', reason: 'failed' }
  }
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
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
  const message = 'reviews of more than 64 MiB are under way: try again'
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
