import type { IncomingMessage, RequestListener } from 'node:http'
import Koa from 'koa'
import type { AdmissionDecision } from '../../domain/admission/decision.ts'
import { answerErrors, HttpRefusal } from '../../http/errors.ts'
import { Refusal } from '../../process/errors.ts'
import { unlessAborted } from '../../process/unless-aborted.ts'
import { answerOf, type ReviewAnswer } from './answer.ts'
import { Bodies, Body } from './bodies.ts'
import { CurrentWorkloads } from './current-workloads.ts'
import { decide, decideExempt } from './decide.ts'
import type { Deciding, WebhookDeps } from './deciding.ts'
import { parseReview, readHead, Unread, type ReviewRequest } from './review.ts'
import { longestBody, routeOf, type Route } from './routes.ts'
import { ReviewTurns } from './turns.ts'
import { decideUnread, unreadBy } from './unread.ts'

/** Milliseconds: the API server gives up after 3 s, and then nobody decides. */
const LONGEST_REVIEW = 2500
/** Characters: Kubernetes limits neither user names nor the name of an object before it is created. */
const LONGEST_LOGGED = 256

/** Shared by all requests. */
interface Shared extends Deciding {
  readonly bodies: Bodies
  readonly turns: ReviewTurns
}

/** Answers admission reviews on the paths of `routes.ts`: a handler for any node HTTP or HTTPS server. */
export function createWebhook(deps: WebhookDeps): RequestListener {
  const { logger, clock } = deps
  const current = new CurrentWorkloads(deps.workloads, deps.live)
  const shared: Shared = { ...deps, current, bodies: new Bodies(), turns: new ReviewTurns() }
  const app = new Koa()
  app.use(answerErrors(logger, clock))
  app.use(async (ctx) => {
    const route = routeOf(ctx.path)
    if (!route)
      throw new Refusal('NOT_FOUND', 'there is nothing here: API servers send their reviews elsewhere')
    if (ctx.method !== 'POST')
      throw new HttpRefusal('METHOD_NOT_ALLOWED', 'POST an AdmissionReview', { Allow: 'POST' })
    ctx.body = await answered(route, ctx, shared)
  })
  // koa reports connections that end before their answer
  app.on('error', (error) => logger.debug({ err: error }, 'connection failed'))
  const handle = app.callback()
  return (request, response) => void handle(request, response)
}

/** undefined: the client disconnected. @throws Unread if not even the beginning of the review can be read */
async function answered(
  route: Route,
  { req, res }: Koa.Context,
  shared: Shared,
): Promise<ReviewAnswer | undefined> {
  const begun = performance.now()
  const over = new AbortController()
  const body = new Body(req, longestBody(route), (cause) => over.abort(cause))
  const late = setTimeout(
    () => over.abort(new Unread('too_late', 'that took too long. Try again')),
    LONGEST_REVIEW,
  )
  // An abort makes an error with a stack: not for each answered review.
  res.once('close', () => {
    if (!res.writableFinished) over.abort()
  })
  try {
    const { review, decision } = await decided(route, req, body, over.signal, shared)
    if (res.destroyed) return undefined
    shared.observer.admission(route, decision.type, decision.reason, (performance.now() - begun) / 1000)
    const level = decision.type === 'allowed' ? 'debug' : 'info'
    shared.logger[level](fieldsOf(route, review, decision), 'admission review')
    return answerOf(review.uid, decision)
  } catch (error) {
    if (!res.destroyed) throw error
    shared.logger.debug({ err: error, webhook: route }, 'a review broke off')
    return undefined
  } finally {
    clearTimeout(late)
    shared.bodies.release(body)
  }
}

interface Decided {
  readonly review: ReviewRequest
  readonly decision: AdmissionDecision
}

/** @throws Unread where not even the beginning of the review can be read, and when the connection breaks */
async function decided(
  route: Route,
  request: IncomingMessage,
  body: Body,
  signal: AbortSignal,
  shared: Shared,
): Promise<Decided> {
  const { bodies, turns } = shared
  try {
    await unlessAborted(signal, bodies.read(request, body))
    const task = () => decidedWhole(route, body.bytes, shared)
    return await unlessAborted(signal, turns.run(task, sizeOf(body), signal))
  } catch (error) {
    const review = readHead(body.bytes)
    // A broken connection, or a client that disconnected.
    if (!review || (signal.aborted && !(signal.reason instanceof Unread))) throw error
    return undecided(route, review, error, shared)
  }
}

function sizeOf(body: Body) {
  return { bytes: body.bytes.length, party: () => body.party }
}

/** Reads and decides at once, but for what needs I/O. @throws Unread */
async function decidedWhole(route: Route, body: Uint8Array, shared: Shared): Promise<Decided> {
  const review = parseReview(body)
  try {
    return { review, decision: await decide(route, review, shared) }
  } catch (error) {
    return undecided(route, review, error, shared)
  }
}

function undecided(route: Route, review: ReviewRequest, error: unknown, shared: Shared): Decided {
  const unread = unreadBy(error, review, shared.logger)
  const decision = decideExempt(route, review, shared) ?? decideUnread(route, review, unread, shared)
  return { review, decision }
}

function fieldsOf(webhook: Route, review: ReviewRequest, { type, reason }: AdmissionDecision): object {
  const { userInfo, namespace, name, resource, dryRun } = review
  const workload = `${resource.resource}/${namespace}/${clip(name)}`
  return { webhook, decision: type, reason, user: clip(userInfo.username), workload, dryRun }
}

function clip(text: string): string {
  return text.length > LONGEST_LOGGED ? `${text.slice(0, LONGEST_LOGGED - 1)}…` : text
}
