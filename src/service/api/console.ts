import type { ApiMiddleware } from './context.ts'
import type { Enter } from './places.ts'
import type { ConsolePages } from './ports.ts'

/** Serves the console's page without a token: its data come by the API, with the usual rights. */
export function serveConsole(pages: ConsolePages, enter: Enter): ApiMiddleware {
  return async (ctx, next) => {
    const { localAddress = '', localPort = 0 } = ctx.req.socket
    const { method, path } = ctx
    const answer = await pages.answer({
      method,
      path,
      header: (name) => ctx.get(name),
      localAddress,
      localPort,
    })
    if (!answer) return next()
    ctx.state.route = '/console'
    enter(ctx)
    ctx.status = answer.status
    ctx.set(answer.headers)
    if (answer.body !== undefined) ctx.body = answer.body
    // Koa guesses a type for what has none.
    ctx.set(answer.headers)
  }
}
