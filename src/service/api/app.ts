import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import Koa from 'koa'
import { authenticated } from './authenticated.ts'
import type { ApiState, ApiMiddleware } from './context.ts'
import { answerErrors } from '../../http/errors.ts'
import { RateLimit, tooMany } from '../../http/rate-limit.ts'
import { Refusal } from '../../process/errors.ts'
import { subjectKey } from '../auth/caller.ts'
import { clientAddress, networkOf } from '../../http/client-address.ts'
import { serveConsole } from './console.ts'
import { createLoginAudit } from '../auth/login-audit.ts'
import type { ApiDeps } from './ports.ts'
import { createRoutes, serveDocument } from './routes.ts'
import { documentValidator } from './validation.ts'
import { placesOfAnswers } from './places.ts'
import { messageTo } from './remedies.ts'
import { serveKnocks } from './knocks.ts'
import { createPodWaits } from './pod-waits.ts'
import { createWatches } from './watch/watches.ts'

export interface Api {
  /** For any node HTTP or HTTPS server. */
  readonly callback: (request: IncomingMessage, response: ServerResponse) => void
  /** Ends the waits for pods and the streams, and closes each connection after its next answer. */
  drain(): void
}

/** The v1 REST API. @throws TypeError when the settings of authentication cannot work */
export function createApi(deps: ApiDeps): Api {
  const { clock, monotonic, logger, settings } = deps
  const podWaits = createPodWaits(deps)
  const watches = createWatches(deps)
  const logins = createLoginAudit(logger, monotonic)
  const addressOf = clientAddress(settings.trustedProxies)
  const enterByAddress = placesOfAnswers(({ req }) => networkOf(addressOf(req)))
  let draining = false

  const closeWhileDraining: ApiMiddleware = async (ctx, next) => {
    await next()
    if (draining) ctx.set('Connection', 'close')
  }

  const app = new Koa<ApiState>()
  app.use(observe(deps))
  app.use(closeWhileDraining)
  app.use(identifyRequest)
  app.use(answerErrors<ApiState>(logger, clock, messageTo))
  app.use(serveDocument(enterByAddress, settings.kinds))
  if (deps.console) app.use(serveConsole(deps.console, enterByAddress))
  app.use(refuseOtherSites)
  app.use(authenticated(deps, logins))
  app.use(serveKnocks(deps))
  app.use(limitRequests(deps))
  for (const middleware of createRoutes(deps, documentValidator(), { podWaits, watches })) app.use(middleware)
  // koa reports connections that end before their answer
  app.on('error', (error) => logger.debug({ err: error }, 'connection failed'))

  const handle = app.callback()
  return {
    callback: (request, response) => void handle(request, response),
    drain() {
      draining = true
      logins.flush()
      podWaits.close()
      watches.close()
    },
  }
}

const REQUEST_ID = 'X-Request-Id'
const SANE_ID = /^[\w.:-]{1,128}$/

/** Takes the caller's request id if it is sane, else a new one; the answer, the log and the audit show it. */
const identifyRequest: ApiMiddleware = async (ctx, next) => {
  const given = ctx.get(REQUEST_ID)
  ctx.state.requestId = SANE_ID.test(given) ? given : randomUUID()
  ctx.set(REQUEST_ID, ctx.state.requestId)
  await next()
}

/** Counts and times every answer, and sets headers against caching, type guessing and execution. */
function observe({ observer, logger }: ApiDeps): ApiMiddleware {
  return async (ctx, next) => {
    const started = performance.now()
    ctx.state.route = 'unmatched'
    ctx.state.changed = false
    ctx.set({
      'X-Content-Type-Options': 'nosniff',
      'Cache-Control': 'no-store',
      'Content-Security-Policy': "default-src 'none'",
    })
    await next()
    const { method } = ctx
    const { route, requestId } = ctx.state
    const seconds = (performance.now() - started) / 1000
    observer.answered(route, method, ctx.status, seconds)
    logger.debug({ route, method, code: ctx.status, seconds, requestId }, 'request')
  }
}

const READS = new Set(['GET', 'HEAD', 'OPTIONS'])
/** The values of Sec-Fetch-Site for pages of other sites (Fetch Metadata, section 2.3); programs send none. */
const OTHERS = new Set(['cross-site', 'same-site'])

/**
 * Refuses changes that a page of another site sends through a person's browser: behind an authenticating proxy the
 * browser sends the person's cookie along, whoever made the page.
 */
const refuseOtherSites: ApiMiddleware = async (ctx, next) => {
  if (!READS.has(ctx.method) && OTHERS.has(ctx.get('Sec-Fetch-Site')))
    throw new Refusal(
      'FORBIDDEN',
      'a page of another site may not do that: use the console, or the API from a program',
    )
  await next()
}

/** Limits the requests of each caller: in a second, and at once. */
function limitRequests({ settings: { rate }, monotonic }: ApiDeps): ApiMiddleware {
  const limit = new RateLimit(rate, monotonic)
  const message = tooMany(rate)
  const enter = placesOfAnswers(({ state }) => subjectKey(state.caller))
  return async (ctx, next) => {
    limit.spend(subjectKey(ctx.state.caller), message)
    enter(ctx)
    await next()
  }
}
