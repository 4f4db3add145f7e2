import type { Middleware, ParameterizedContext } from 'koa'
import type { ValueOf } from '../../domain/json-schema.ts'
import { CLIENT_GONE } from '../../http/errors.ts'
import type { Caller } from '../auth/caller.ts'
import type { BulkCounts } from '../../domain/records/bulk.ts'
import type { PATH_PARAMETERS, QUERY_PARAMETERS, ParameterValues } from './openapi/parameters.ts'
import type { OVERRIDE, SETTING } from './openapi/schemas.ts'

/** A request's input, valid by the OpenAPI document. The path of a list has no name. */
export interface Input {
  readonly path: ParameterValues<typeof PATH_PARAMETERS>
  readonly query: Partial<ParameterValues<typeof QUERY_PARAMETERS>>
  readonly body: ValueOf<typeof SETTING> & ValueOf<typeof OVERRIDE>
}

/** The facts about a request, in the order in which the middleware finds them. */
export interface ApiState {
  requestId: string
  /** The matched path's template, or `unmatched`. */
  route: string
  caller: Caller
  /** Verifies the request's token again. @throws Refusal UNAUTHENTICATED, CLUSTER_UNAVAILABLE */
  authenticateAgain: () => Promise<Caller>
  input: Input
  /** The position after which a list continues; '': from its beginning. */
  after: string
  /** Gives back the request's place (places.ts), which its end does, too. */
  leavePlace?: () => void
  /** Whether a write changed the workload, or any of a namespace; null: unknown, the cluster did not answer. */
  changed: boolean | null
  /** How many workloads of a namespace were done, unchanged or refused, once that is known. */
  counts?: BulkCounts
}

export type ApiContext = ParameterizedContext<ApiState>
export type ApiMiddleware = Middleware<ApiState>

/** Aborted once the connection has closed, so that nobody reads the answer; also if it closed before this call. */
export function whenGone({ res }: ApiContext): AbortSignal {
  const gone = new AbortController()
  if (res.destroyed) gone.abort(CLIENT_GONE)
  res.once('close', () => gone.abort(CLIENT_GONE))
  return gone.signal
}
