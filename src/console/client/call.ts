import { messageOf, Refusal } from '../../process/errors.ts'

/** A call of the page, of the v1 API. */
export interface Call {
  readonly method: string
  /** Behind `/api/v1`. */
  readonly path: string
  readonly query: URLSearchParams
  /** Parsed JSON; undefined: there is none. */
  readonly body?: unknown
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal
}

/** The body of an answer, in the API's form. */
export interface Answered {
  readonly message: string
  readonly data: unknown
}

/**
 * A failure as the page gets it. A 401 of the cluster does not mean that the page's token is bad: the page would ask for
 * another.
 */
export function refusalOf(error: unknown): Refusal {
  if (!(error instanceof Refusal))
    return new Refusal('CLUSTER_UNAVAILABLE', messageOf(error), { cause: error })
  return error.code === 'UNAUTHENTICATED'
    ? new Refusal('CLUSTER_REJECTED', error.message, { cause: error })
    : error
}
