/** A call of the page, of the v1 API. */
export interface Call {
  readonly method: string
  /** Behind `/api/v1`. */
  readonly path: string
  readonly query: URLSearchParams
  /** Of JSON; undefined: there is none. */
  readonly body?: unknown
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal
}

/** The body of an answer, in the API's form. */
export interface Answered {
  readonly message: string
  readonly data: unknown
}
