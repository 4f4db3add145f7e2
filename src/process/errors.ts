/** One fault of an input: its place (a JSON pointer, RFC 6901) and what was expected there. */
export interface Fault {
  pointer: string
  message: string
}

/** The error codes of the API, each with its HTTP status. */
export const HTTP_STATUS = {
  VALIDATION_ERROR: 400,
  INVALID_JSON: 400,
  UNAUTHENTICATED: 401,
  FORBIDDEN: 403,
  NAMESPACE_EXCLUDED: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  NOT_ENABLED: 409,
  PINNED: 409,
  IN_BACKOFF: 409,
  OWNED: 409,
  DATA_AT_RISK: 409,
  CONFLICT: 409,
  TOO_MANY_WORKLOADS: 409,
  INVALID_STATE: 422,
  RATE_LIMITED: 429,
  CLUSTER_REJECTED: 502,
  CLUSTER_UNAVAILABLE: 503,
  INTERNAL: 500,
} as const

export type ErrorCode = keyof typeof HTTP_STATUS
export const ERROR_CODES = Object.keys(HTTP_STATUS) as readonly ErrorCode[]

/**
 * A request that is refused. The message says what is wrong and what to do; the caller also gets `details`.
 * `retryAfter` is in whole seconds.
 */
export class Refusal extends Error {
  readonly code: ErrorCode
  readonly details: Record<string, unknown>
  readonly retryAfter: number | undefined

  constructor(
    code: ErrorCode,
    message: string,
    options: { details?: Record<string, unknown>; retryAfter?: number; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = code
    this.code = code
    this.details = options.details ?? {}
    this.retryAfter = options.retryAfter
  }
}

/** The command line or the configuration is wrong: the message is for the person, the exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** The message of whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
