import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { answered, type Answered } from './answered.ts'
import { CurrentWorkloads } from './current.ts'
import { isExempt } from './exempt.ts'
import type { WebhookDeps } from './ports.ts'
import { allow, deny, readReview, type ReviewAnswer, type ReviewRequest } from './review.ts'
import { reviewScale } from './scale.ts'
import { reviewWorkload } from './workload.ts'

/** Bytes: an object has at most 1.5 MiB in etcd, and a review holds two of them. */
const LONGEST_BODY = 8 * 1024 * 1024

const WEBHOOKS = { '/webhook/scale': 'scale', '/webhook/workloads': 'workloads' } as const
type Webhook = (typeof WEBHOOKS)[keyof typeof WEBHOOKS]

/** Answers admission reviews on `/webhook/scale` and `/webhook/workloads`; undefined: the request is not for it. */
export function createWebhook(deps: WebhookDeps): (path: string) => RequestListener | undefined {
  const current = new CurrentWorkloads(deps.workloads, deps.live)
  return (path) => {
    const webhook = (WEBHOOKS as Readonly<Record<string, Webhook>>)[path]
    return webhook && ((request, response) => void serve(webhook, request, response, deps, current))
  }
}

async function serve(
  webhook: Webhook,
  request: IncomingMessage,
  response: ServerResponse,
  deps: WebhookDeps,
  current: CurrentWorkloads,
): Promise<void> {
  const { logger, observer } = deps
  const begun = performance.now()
  try {
    if (request.method !== 'POST') return send(response, 405, deny('', 'POST an AdmissionReview', 400))
    const body = await bodyOf(request)
    if (body === undefined) return send(response, 413, deny('', 'the review is larger than 8 MiB', 400))
    const review = readReview(parsed(body))
    if (typeof review === 'string') return send(response, 400, deny('', review, 400))
    const { answer, decision, reason } = await judge(webhook, review, deps, current)
    send(response, 200, answer)
    observer.admission(webhook, decision, reason, (performance.now() - begun) / 1000)
    const { userInfo, namespace, name, resource, dryRun } = review
    const fields = {
      webhook,
      decision,
      reason,
      user: userInfo.username,
      workload: `${resource.resource}/${namespace}/${name}`,
      dryRun,
    }
    logger[decision === 'allowed' ? 'debug' : 'info'](fields, 'admission review')
  } catch (error) {
    logger.debug({ err: error, webhook }, 'a review broke off')
    response.destroy()
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

/** undefined: too large; the rest of it is read and dropped, so that the answer arrives. */
async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length <= LONGEST_BODY) chunks.push(chunk)
    else chunks.length = 0
    if (length > 2 * LONGEST_BODY) break
  }
  return length > LONGEST_BODY ? undefined : Buffer.concat(chunks).toString('utf8')
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

function send(response: ServerResponse, status: number, answer: ReviewAnswer): void {
  const body = JSON.stringify(answer)
  response.writeHead(status, {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
  })
  response.end(body)
}
