import { delay as systemDelay, retryDelay, type Delay } from '../process/delay.ts'
import {
  ClusterRefusal,
  CredentialsError,
  parseStatus,
  refusalOf,
  unanswered,
  withoutCredentials,
} from './failures.ts'
import type { HttpResponse, HttpText } from './exchange.ts'
import type { HttpRequest, HttpStream, HttpTransport } from './http.ts'
import type { KubernetesObserver } from './ports.ts'

/** One call to the API server. */
export interface Call {
  readonly method: HttpRequest['method']
  /** As RBAC and the API server's own metrics name it; default: as the method says. */
  readonly verb?: string
  /** As they name it: `deployments`. */
  readonly resource: string
  readonly path: string
  readonly accept?: string
  readonly contentType?: string
  /** Sent as JSON. */
  readonly body?: unknown
  readonly signal?: AbortSignal | undefined
  /** How often a 429 is retried; default 3. */
  readonly retries?: number
  /** Milliseconds until the whole answer must be there; undefined: as for any call. */
  readonly timeout?: number | undefined
}

export interface ApiCallsOptions {
  readonly transport: Pick<HttpTransport, 'send' | 'open'>
  readonly observer: KubernetesObserver
  /** Milliseconds for a call that names no timeout; default 10,000. */
  readonly timeout?: number
  readonly delay?: Delay
  /** Default `dormouse`. */
  readonly userAgent?: string
}

const JSON_TYPE = 'application/json'
const VERB = { GET: 'get', POST: 'create', PUT: 'update', PATCH: 'patch', DELETE: 'delete' } as const
/** A longer Retry-After is the caller's to decide on: it may wait longer or give up. */
const LONGEST_RETRY_AFTER_MS = 5000

/**
 * Sends calls with a timeout; retries 429s; reports each attempt to the observer. Throws as `KubernetesClient` does.
 */
export class ApiCalls {
  /** Milliseconds. */
  readonly timeout: number
  readonly #transport: ApiCallsOptions['transport']
  readonly #observer: KubernetesObserver
  readonly #delay: Delay
  readonly #userAgent: string
  /** How many calls were answered so far, and how many were not in time. */
  readonly #fates = { answered: 0, late: 0 }

  constructor({
    transport,
    observer,
    timeout = 10_000,
    delay = systemDelay,
    userAgent = 'dormouse',
  }: ApiCallsOptions) {
    this.timeout = timeout
    this.#transport = transport
    this.#observer = observer
    this.#delay = delay
    this.#userAgent = userAgent
  }

  /** The answer of a call that succeeded. */
  async answer(call: Call): Promise<HttpText> {
    const { retries = 3, timeout = this.timeout } = call
    const send = () => this.#transport.send(requestOf(call, this.#userAgent, call.signal), timeout)
    for (let attempt = 1; ; attempt++) {
      const response = await this.#sent(call, send)
      if (response.status < 300) return response
      const refusal = refusalOf(describe(call), response.status, parseStatus(response.text), response.headers)
      if (response.status !== 429 || attempt > retries) throw refusal
      const asked = Math.min((refusal.retryAfter ?? 0) * 1000, LONGEST_RETRY_AFTER_MS)
      await this.#delay(asked + retryDelay(attempt, 100, 1000), call.signal).catch((error: unknown) => {
        throw call.signal?.aborted ? call.signal.reason : error
      })
    }
  }

  /**
   * The answer of a call that succeeded, as a stream that `signal` cuts. The timeout is for its beginning;
   * `silence`: milliseconds without a byte after which it is given up. 429s are not retried.
   */
  async stream(call: Call, silence: number, signal: AbortSignal): Promise<HttpStream> {
    const { timeout = this.timeout } = call
    const stream = await this.#sent({ ...call, signal }, () =>
      within(timeout, signal, (bounded) =>
        this.#transport.open(requestOf(call, this.#userAgent, bounded), silence),
      ),
    )
    if (stream.status === 200) return stream
    const body = await stream.text().catch((error: unknown) => {
      throw signal.aborted ? signal.reason : unanswered(describe(call), error)
    })
    throw refusalOf(describe(call), stream.status, parseStatus(body), stream.headers)
  }

  async #sent<R extends HttpResponse>(call: Call, send: () => Promise<R>): Promise<R> {
    try {
      return await this.#observed(call, send)
    } catch (error) {
      // A kept-alive socket may have died while it was idle. Only a read is safe to send twice; a watch has to pause
      // first.
      const read = call.method === 'GET' && call.verb !== 'watch'
      const again = read && error instanceof ClusterRefusal && error.noAnswer === 'cut'
      if (!again) throw error
      return this.#observed(call, send)
    }
  }

  async #observed<R extends HttpResponse>(call: Call, send: () => Promise<R>): Promise<R> {
    const began = performance.now()
    const before = { ...this.#fates }
    // Reads say nothing about writes: etcd may be slow to write and quick to read.
    const writes = call.method !== 'GET' && !REVIEWS.has(call.resource)
    let status = 0
    try {
      const response = await send()
      status = response.status
      if (writes) this.#fates.answered++
      return response
    } catch (error) {
      if (call.signal?.aborted) throw call.signal.reason
      if (error instanceof CredentialsError) throw withoutCredentials(describe(call), error.cause)
      const others = this.#fates.answered - before.answered > this.#fates.late - before.late
      const failure = unanswered(describe(call), error, writes && others)
      if (writes && (failure.noAnswer === 'timeout' || failure.noAnswer === 'hung')) this.#fates.late++
      throw failure
    } finally {
      this.#observer.request(verbOf(call), call.resource, status, (performance.now() - began) / 1000)
    }
  }
}

/** The call's name in messages: `patch /apis/apps/v1/namespaces/shop/deployments/web`. */
export function describe(call: Call): string {
  return `${verbOf(call)} ${call.path.replace(/\?.*$/, '')}`
}

function verbOf({ method, verb = VERB[method] }: Call): string {
  return verb
}

function requestOf(call: Call, userAgent: string, signal: AbortSignal | undefined): HttpRequest {
  const headers: Record<string, string> = { accept: call.accept ?? JSON_TYPE, 'user-agent': userAgent }
  if (call.body !== undefined) headers['content-type'] = call.contentType ?? JSON_TYPE
  const body = call.body === undefined ? undefined : JSON.stringify(call.body)
  return { method: call.method, path: call.path, headers, body, signal, sockets: socketsOf(call) }
}

/** POSTs that ask the API server and write nothing. */
const REVIEWS: ReadonlySet<string> = new Set(['tokenreviews', 'subjectaccessreviews'])

/** Writes may hang in somebody else's admission webhook; calls that must not wait for them have their own sockets. */
function socketsOf({ method, resource }: Call): NonNullable<HttpRequest['sockets']> {
  if (resource === 'leases') return 'lease'
  if (REVIEWS.has(resource)) return 'reviews'
  return method === 'GET' ? 'reads' : 'writes'
}

async function within<R>(
  milliseconds: number,
  outer: AbortSignal,
  task: (signal: AbortSignal) => Promise<R>,
): Promise<R> {
  const deadline = new AbortController()
  const timer = setTimeout(() => deadline.abort(new DOMException('no answer', 'TimeoutError')), milliseconds)
  try {
    return await task(AbortSignal.any([outer, deadline.signal]))
  } finally {
    clearTimeout(timer)
  }
}
