import type { Called, Verb } from './called.ts'

/** `before`: the API server does not get the call; `after`: it has carried it out; `within`: half the answer is through. */
export type Stage = 'before' | 'after' | 'within'

/** The fate of a call. */
export type CallFault =
  /** The connection ends. */
  | { readonly type: 'cut'; readonly stage: Stage }
  /** Nothing more comes, until Dormouse gives up. */
  | { readonly type: 'stall'; readonly stage: Stage }
  | { readonly type: 'delay'; readonly stage: 'before' | 'after'; readonly milliseconds: number }
  /** Another answer than the API server's; a body that is no text is sent as JSON. */
  | {
      readonly type: 'answer'
      readonly stage: 'before' | 'after'
      readonly status: number
      readonly body: unknown
      readonly headers?: Readonly<Record<string, string>>
    }
  /** Waits for `run`; if that resolves with `cut`, the connection ends. */
  | {
      readonly type: 'hook'
      readonly stage: 'before' | 'after'
      readonly run: (called: Called) => Promise<'cut' | void>
    }

/** The fate of one event of a watch. */
export type EventFault =
  | { readonly type: 'lose' | 'repeat' }
  /** It comes after the next one of its watch; half a second late if there is none. */
  | { readonly type: 'swap' }
  /** It and all after it come later. */
  | { readonly type: 'delay'; readonly milliseconds: number }
  /** The connection ends before it, or in the middle of its line. */
  | { readonly type: 'cut' | 'half' }
  /** Instead of it comes a line of the test's own, if it is no text as JSON. */
  | { readonly type: 'replace'; readonly line: unknown }

/** The `nth` match from now on (default 1), and the following ones, `times` in total (default 1). */
export interface Turn {
  readonly nth?: number
  readonly times?: number
}

/** Calls for which all of this is so. */
export interface CallWhere extends Turn {
  readonly verb?: Verb
  readonly writes?: boolean
  readonly resource?: string
  readonly namespace?: string
  readonly name?: string
}

/** Events of watches for which all of this is so; without `type` any but bookmarks. */
export interface EventWhere extends Turn {
  readonly resource?: string
  readonly namespace?: string
  readonly name?: string
  readonly type?: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR'
}

/** A fault that was laid. */
export interface Laid {
  /** How often it has struck, and when last, by `performance.now()`. */
  readonly hits: number
  readonly lastHit: number
  /** Resolves when it strikes first. */
  readonly struck: Promise<void>
  /** It strikes no more. */
  lift(): void
}

/** A `meta/v1` Status as the API server's answer; `retryAfter` in seconds. */
export function refusal(
  status: number,
  { stage = 'before', retryAfter }: { stage?: 'before' | 'after'; retryAfter?: number } = {},
): CallFault {
  const body = statusOf(status)
  const headers = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }
  return { type: 'answer', stage, status, body, headers }
}

const REASON: Readonly<Record<number, string>> = {
  401: 'Unauthorized',
  403: 'Forbidden',
  409: 'Conflict',
  410: 'Expired',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
  504: 'Timeout',
}

/** A `meta/v1` Status: the body of a refusal, or the object of an ERROR event. */
export function statusOf(code: number): object {
  const message = `a fault on demand: ${code}`
  return { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, message, reason: REASON[code] }
}
