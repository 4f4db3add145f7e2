/** What the page asks for, of the v1 API. */
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

/** What stands in an answer, as the API has it. */
export interface Answered {
  readonly message: string
  readonly data: unknown
}
