import { Refusal, type ErrorCode } from '../process/errors.ts'
import type { HttpResponse } from './exchange.ts'

/** A `meta/v1` Status: the body of a refusal, or of a watch's error event. */
export interface Status {
  readonly code?: number
  readonly message?: string
  readonly reason?: string
  readonly details?: {
    readonly kind?: unknown
    readonly causes?: readonly unknown[]
    readonly retryAfterSeconds?: number
  }
}

/**
 * Why there was no answer. `cut`: the connection ended after the call was sent, so the call may have been carried out;
 * `silent`: an answer began and then stopped; `hung`: a write timed out while most other calls were answered: it may
 * have been carried out, and the cluster itself is not slow.
 */
export type NoAnswer = 'unreachable' | 'timeout' | 'hung' | 'silent' | 'cut' | 'credentials'

/** A call that the cluster refused or did not answer. */
export class ClusterRefusal extends Refusal {
  /** The HTTP status, or that of a watch's error event; 0: no answer. */
  readonly status: number
  readonly noAnswer: NoAnswer | undefined
  /** A 404 that names no object: the cluster serves nothing at this path. */
  readonly isUnserved: boolean

  constructor(
    code: ErrorCode,
    message: string,
    options: ConstructorParameters<typeof Refusal>[2] & {
      status: number
      noAnswer?: NoAnswer
      isUnserved?: boolean
    },
  ) {
    super(code, message, options)
    this.status = options.status
    this.isUnserved = options.isUnserved === true
    this.noAnswer = options.noAnswer
  }
}

const DEFAULT_RETRY_AFTER_S = 2
const CUT = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE', 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH'])
const TIMED_OUT = new Set(['UND_ERR_HEADERS_TIMEOUT', 'ETIMEDOUT'])

/** The error for an answer of the cluster. `what` names the call: `patch /apis/apps/v1/…`, `watch deployments`. */
export function refusalOf(
  what: string,
  status: number,
  body: Status,
  headers?: HttpResponse['headers'],
): ClusterRefusal {
  const message = body.message ?? `HTTP ${status}`
  const causes = body.details?.causes
  const details = {
    status,
    message,
    ...(body.reason !== undefined && { reason: body.reason }),
    ...(causes !== undefined && { causes }),
  }
  if (status === 404) {
    const isUnserved = body.details?.kind === undefined
    return new ClusterRefusal('NOT_FOUND', `${what}: ${message}`, { status, details, isUnserved })
  }
  if (status === 429 || status >= 500) {
    const retryAfter = retryAfterOf(headers) ?? body.details?.retryAfterSeconds ?? DEFAULT_RETRY_AFTER_S
    const text = `${what}: the cluster answered ${status} (${message}); try again in ${retryAfter} s`
    return new ClusterRefusal('CLUSTER_UNAVAILABLE', text, { status, details, retryAfter })
  }
  return new ClusterRefusal('CLUSTER_REJECTED', `${what}: the cluster refused: ${message}`, {
    status,
    details,
  })
}

/** For `catch`: gives `answer` if the cluster answered with one of these; any other error is thrown again. */
export function onStatus<Answer>(statuses: readonly number[], answer: Answer): (error: unknown) => Answer {
  return (error) => {
    if (error instanceof ClusterRefusal && statuses.includes(error.status)) return answer
    throw error
  }
}

/** Whether the cluster refused a write because an admission webhook did not answer it, or answered badly. */
export function isOfWebhook({ status, details }: ClusterRefusal): boolean {
  return status === 500 && /\bfailed calling webhook\b/.test(String(details['message']))
}

/**
 * The error for a call without an answer; `cause` is the error that was thrown. `others`: whether most other calls were
 * answered meanwhile.
 */
export function unanswered(what: string, cause: unknown, others = false): ClusterRefusal {
  const why = classify(cause)
  const noAnswer = why === 'timeout' && others ? 'hung' : why
  const message = `${what}: ${EXPLANATION[noAnswer]}; try again in ${DEFAULT_RETRY_AFTER_S} s`
  return new ClusterRefusal('CLUSTER_UNAVAILABLE', message, {
    status: 0,
    noAnswer,
    retryAfter: DEFAULT_RETRY_AFTER_S,
    cause,
  })
}

/** No call was made because the credentials could not be loaded; `cause` says why. */
export class CredentialsError extends Error {}

/** The error for a call that was not sent because the credentials could not be loaded. */
export function withoutCredentials(what: string, cause: unknown): ClusterRefusal {
  const message = `${what}: ${EXPLANATION.credentials}; the log says why`
  const options = { status: 0, noAnswer: 'credentials', retryAfter: DEFAULT_RETRY_AFTER_S, cause } as const
  return new ClusterRefusal('CLUSTER_UNAVAILABLE', message, options)
}

const EXPLANATION: Record<NoAnswer, string> = {
  unreachable: 'the cluster cannot be reached',
  timeout: 'the cluster did not answer in time',
  hung: 'the cluster did not answer in time, while it answers other calls: an admission webhook may hang',
  silent: 'the cluster fell silent',
  cut: 'the connection to the cluster was cut',
  credentials: 'the credentials for the cluster could not be loaded',
}

function classify(error: unknown): NoAnswer {
  if (!(error instanceof Error)) return 'unreachable'
  if (error.name === 'TimeoutError') return 'timeout'
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  if (code === 'UND_ERR_BODY_TIMEOUT') return 'silent'
  if (TIMED_OUT.has(code)) return 'timeout'
  // undici throws HTTPParserError for a chunked answer that ends early.
  return CUT.has(code) || error.name === 'HTTPParserError' ? 'cut' : 'unreachable'
}

/** RFC 9110, section 10.2.3, in seconds; the API server sends no dates. */
function retryAfterOf(headers: HttpResponse['headers'] | undefined): number | undefined {
  const value = headers?.['retry-after']
  return typeof value === 'string' && /^\d{1,6}$/.test(value) ? Number(value) : undefined
}

/** The Status in an answer's body; tolerates any body, since a proxy in between may have answered. */
export function parseStatus(text: string): Status {
  try {
    const body: unknown = JSON.parse(text)
    return typeof body === 'object' && body !== null ? body : {}
  } catch {
    const message = text.slice(0, 200).trim()
    return message ? { message } : {}
  }
}
