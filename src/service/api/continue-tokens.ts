import { hash } from 'node:crypto'
import type { ApiContext } from './context.ts'
import { NAMESPACES } from './openapi/entries.ts'
import { invalid } from './validation.ts'

/**
 * The position of the next page for the client to send back: base64url of `{ filters, position }`. It is no secret,
 * since the caller was shown the object at that position.
 */
export function continueToken(position: string, ctx: ApiContext): string {
  return Buffer.from(JSON.stringify({ filters: filtersOf(ctx), position })).toString('base64url')
}

/** The position of the request's token; '': it has none. @throws Refusal VALIDATION_ERROR with the advice to start again */
export function positionIn(ctx: ApiContext): string {
  const token = ctx.state.input.query.continue
  if (token === undefined) return ''
  const { filters, position } = parsed(token)
  if (filters !== filtersOf(ctx) || typeof position !== 'string') throw startAgain()
  return position
}

/** For a token of another list. */
export function startAgain(): Error {
  const message =
    'is of no page of this list with these filters: leave it out to start again from the first page'
  return invalid([{ in: 'query', pointer: '/continue', message }])
}

function parsed(token: string): { filters?: unknown; position?: unknown } {
  try {
    return Object(JSON.parse(Buffer.from(token, 'base64url').toString()))
  } catch {
    return {}
  }
}

/** Equal for requests with the same filters, which may use each other's tokens. A hash, since selectors may be long. */
function filtersOf({ state: { input, route } }: ApiContext): string {
  const { path, query } = input
  const filters = [
    path.namespace ?? query.namespace,
    path.kind ?? query.kind,
    query.state,
    query.labelSelector,
    // its positions are namespaces; those of the other lists are workloads
    ...(route === NAMESPACES ? [route] : []),
    // a plan's positions are instants, of one workload
    ...(path.name === undefined ? [] : [path.name, query.hours, query.schedule, query.timezone]),
  ]
  return hash('sha256', JSON.stringify(filters), 'base64url').slice(0, 12)
}
