import type { IncomingMessage } from 'node:http'
import bodyParser from 'koa-bodyparser'
import { Refusal } from '../../process/errors.ts'
import type { ApiContext, ApiMiddleware } from './context.ts'

/**
 * Reads a JSON body of at most `limit` bytes into `ctx.request.body`; no body is an empty object. koa-bodyparser reads,
 * counts and parses; bodies that it would ignore or answer in its own way are refused here (docs/decisions/0009).
 * @throws Refusal UNSUPPORTED_MEDIA_TYPE, PAYLOAD_TOO_LARGE, INVALID_JSON
 */
export function readBody(limit: number): ApiMiddleware {
  const options: bodyParser.Options & { onProtoPoisoning: string } = {
    jsonLimit: String(limit),
    // accept any JSON: the schema names the fault of a body that is not an object
    strict: false,
    // `__proto__` is an unknown property like any other, which the schema refuses
    onProtoPoisoning: 'ignore',
    detectJSON: () => true,
    onerror: (error, ctx) => {
      // an unread rest would block the next request of this connection
      ctx.req.resume()
      throw refusalOf(error, ctx.req, limit)
    },
  }
  const parse = bodyParser(options)

  return async (ctx, next) => {
    if (!hasBody(ctx.req)) {
      ctx.request.body = {}
      return next()
    }
    demandJson(ctx)
    await parse(ctx, async () => {
      if (ctx.request.rawBody === '') ctx.request.body = {}
      await next()
    })
  }
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

function demandJson(ctx: ApiContext): void {
  if (!ctx.request.is('application/json') || !/^(?:utf-?8)?$/i.test(ctx.request.charset)) {
    throw new Refusal('UNSUPPORTED_MEDIA_TYPE', 'a body must be JSON: send Content-Type: application/json')
  }
  if (!/^(?:identity)?$/i.test(ctx.get('Content-Encoding'))) {
    throw new Refusal('UNSUPPORTED_MEDIA_TYPE', 'a body must not be compressed: leave Content-Encoding out')
  }
}

function refusalOf(error: Error & { type?: string }, req: IncomingMessage, limit: number): Error {
  if (error instanceof SyntaxError) {
    return new Refusal('INVALID_JSON', `the body is not JSON: ${error.message}`, { cause: error })
  }
  if (error.type === 'entity.too.large') {
    return new Refusal('PAYLOAD_TOO_LARGE', `the body is larger than ${limit} bytes: send less`, {
      cause: error,
    })
  }
  if (error.type === 'request.size.invalid' || req.destroyed) {
    return new Refusal('INVALID_JSON', 'the body ended early: send it again', { cause: error })
  }
  return error
}
