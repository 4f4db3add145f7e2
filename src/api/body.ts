import type { IncomingMessage } from 'node:http'
import bodyParser from 'koa-bodyparser'
import { Refusal } from '../errors.ts'
import type { ApiContext, Step } from './context.ts'

/**
 * Reads a JSON body of at most `limit` bytes into `ctx.request.body`; no body is an empty object.
 * Compressed bodies are refused: none that is allowed gains by it.
 * @throws Refusal UNSUPPORTED_MEDIA_TYPE, PAYLOAD_TOO_LARGE, INVALID_JSON
 */
export function readBody(limit: number): Step {
  const options: bodyParser.Options & { onProtoPoisoning: string } = {
    enableTypes: ['json'],
    jsonLimit: String(limit),
    strict: false,
    // an own property like any other to JSON.parse, and none that a schema here knows
    onProtoPoisoning: 'ignore',
    detectJSON: () => true,
    onerror: (error, ctx) => {
      // what was not read would hold up the next request of this connection
      ctx.req.resume()
      throw refusalOf(error, ctx, limit)
    },
  }
  const parse = bodyParser(options)

  return async (ctx, next) => {
    if (!hasBody(ctx)) {
      ctx.request.body = {}
      return next()
    }
    demandJson(ctx)
    return parse(ctx, async () => {
      if (ctx.request.rawBody === '') ctx.request.body = {}
      await next()
    })
  }
}

function hasBody({ req }: ApiContext): boolean {
  return req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0
}

function demandJson(ctx: ApiContext): void {
  if (!ctx.request.is('application/json') || !/^(?:utf-?8)?$/i.test(ctx.request.charset)) {
    throw new Refusal('UNSUPPORTED_MEDIA_TYPE', 'a body must be JSON: send Content-Type: application/json')
  }
  if (!/^(?:identity)?$/i.test(ctx.get('Content-Encoding'))) {
    throw new Refusal('UNSUPPORTED_MEDIA_TYPE', 'a body must not be compressed: leave Content-Encoding out')
  }
}

function refusalOf(
  error: Error & { type?: string },
  { req }: { req: IncomingMessage },
  limit: number,
): Error {
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
