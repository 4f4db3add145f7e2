import type { IncomingMessage, ServerResponse } from 'node:http'
import Koa from 'koa'
import { authenticate } from './auth/authentication.ts'
import type { ApiState, Step } from './context.ts'
import { describe } from './document.ts'
import { answerErrors } from './errors.ts'
import { createLoginAudit } from './auth/login-audit.ts'
import type { ApiDeps } from './ports.ts'
import { limitRequests } from './rate-limit.ts'
import { identifyRequest } from './request-id.ts'
import { createRoutes } from './routes.ts'
import { documentValidator } from './validation.ts'
import { createWaitingRoom } from './waiting.ts'

export interface Api {
  /** For any node HTTP or HTTPS server. */
  readonly callback: (request: IncomingMessage, response: ServerResponse) => void
  /** Answers those who wait for pods; what is in flight ends with its connection closed. */
  drain(): void
}

/** The v1 REST API. Throws TypeError where the settings of authentication cannot work. */
export function createApi(deps: ApiDeps): Api {
  const { clock, logger, settings, workloads } = deps
  const waitingRoom = createWaitingRoom(workloads)
  const logins = createLoginAudit(logger, clock)
  let draining = false

  const closeWhileDraining: Step = async (ctx, next) => {
    await next()
    if (draining) ctx.set('Connection', 'close')
  }

  const app = new Koa<ApiState>()
  app.use(observe(deps))
  app.use(closeWhileDraining)
  app.use(identifyRequest)
  app.use(answerErrors(logger, clock))
  app.use(describe)
  app.use(authenticate(deps, logins))
  app.use(limitRequests(settings.rate, clock))
  for (const step of createRoutes(deps, documentValidator(), waitingRoom)) app.use(step)
  // what koa itself reports: connections that end before their answer
  app.on('error', (error) => logger.debug({ err: error }, 'connection failed'))

  const handle = app.callback()
  return {
    callback: (request, response) => void handle(request, response),
    drain() {
      draining = true
      logins.flush()
      waitingRoom.close()
    },
  }
}

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** Counts and times every answer, whose headers tell browsers to make nothing of it. */
function observe({ observer, logger }: ApiDeps): Step {
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
    const { route, requestId } = ctx.state
    const method = METHODS.has(ctx.method) ? ctx.method : 'OTHER'
    const seconds = (performance.now() - started) / 1000
    observer.answered(route, method, ctx.status, seconds)
    logger.debug({ route, method, code: ctx.status, seconds, requestId }, 'request')
  }
}
