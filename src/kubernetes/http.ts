import { Pool, ProxyAgent, type Dispatcher } from 'undici'
import { unlessAborted } from '../process/unless-aborted.ts'
import type { Authentication, Credentials, TlsOptions } from './credentials.ts'
import { CredentialsError } from './failures.ts'
import { Exchange, type HttpResponse, type HttpText } from './exchange.ts'

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  /** With its query; relative to the server's own path, if that has one. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | undefined
  readonly signal?: AbortSignal | undefined
  /** The group of sockets to use; default `reads`. */
  readonly sockets?: Sockets
}

/**
 * Sockets per group; no group borrows from another. Measured: ten keep-alive sockets of HTTP/1.1 are as fast as 32, and
 * HTTP/2 is no faster. `WriteGate` lets eleven writes be sent at once; the others are for writes that hang, and for the
 * few writes of objects other than workloads.
 */
const SOCKETS = { lease: 1, reads: 3, reviews: 2, writes: 42 } as const
type Sockets = keyof typeof SOCKETS

/** A body that goes on until either side ends it. */
export interface HttpStream extends HttpResponse {
  readonly body: AsyncIterable<Buffer>
  text(): Promise<string>
}

type Authenticator = Pick<Credentials, 'server' | 'proxy' | 'known' | 'current' | 'renew'>

interface Dispatchers {
  readonly tlsId: string
  readonly calls: Readonly<Record<Sockets, Dispatcher>>
  /** A watch occupies its socket for minutes, so each watch has its own. */
  readonly watches: Dispatcher
}

type Send<R> = (dispatchers: Dispatchers, options: Dispatcher.DispatchOptions) => Promise<R>

const CONNECT_TIMEOUT_MS = 2500
const IDLE_SOCKET_MS = 30_000
/** TCP keep-alive: detects a peer that vanished without closing the connection. */
const KEEP_ALIVE_DELAY_MS = 15_000
const HEADERS_TIMEOUT_MS = 30_000

/** HTTP to one API server, over a pool of sockets for each purpose; follows rotating credentials. */
export class HttpTransport {
  readonly #authenticator: Authenticator
  readonly #basePath: string
  readonly #live = new Set<Dispatcher>()
  #dispatchers: Dispatchers | undefined
  #closed = false

  constructor(authenticator: Authenticator) {
    this.#authenticator = authenticator
    this.#basePath = authenticator.server.pathname.replace(/\/+$/, '')
  }

  /**
   * `timeout`: milliseconds for getting a socket, and again from then on for the whole answer. Else a DOMException
   * TimeoutError is thrown.
   */
  async send(request: HttpRequest, timeout: number): Promise<HttpText> {
    const deadline = performance.now() + timeout
    const call = async (dispatchers: Dispatchers, options: Dispatcher.DispatchOptions) => {
      const left = deadline - performance.now()
      if (left <= 0) throw noCredentialsInTime()
      const exchange = new Exchange(left, request.signal)
      dispatchers.calls[request.sockets ?? 'reads'].dispatch(options, exchange)
      return exchange.text
    }
    return this.#authenticated(request, call, deadline)
  }

  /** `silence`: milliseconds without a byte after which the stream fails (UND_ERR_BODY_TIMEOUT). */
  async open(request: HttpRequest, silence: number): Promise<HttpStream> {
    return this.#authenticated(request, async (dispatchers, options) => {
      const { signal = null } = request
      const opened = await dispatchers.watches.request({ ...options, signal, bodyTimeout: silence })
      const { statusCode, headers, body } = opened
      return { status: statusCode, headers, body, text: () => body.text() }
    })
  }

  /** Cuts all open connections; resolves when no socket is left. */
  async close(): Promise<void> {
    this.#closed = true
    await Promise.all([...this.#live].map((dispatcher) => dispatcher.destroy()))
    this.#live.clear()
  }

  /** After a 401, loads the credentials again and repeats the call once. */
  async #authenticated<R extends HttpText | HttpStream>(
    request: HttpRequest,
    call: Send<R>,
    deadline?: number,
  ): Promise<R> {
    const first = await this.#dispatched(request, call, deadline)
    if (first.status !== 401) return first
    if (typeof first.text === 'function') await first.text()
    this.#authenticator.renew()
    return this.#dispatched(request, call, deadline)
  }

  async #dispatched<R>(
    { method, path, headers, body, signal }: HttpRequest,
    call: Send<R>,
    deadline?: number,
  ): Promise<R> {
    const authentication = this.#authenticator.known ?? (await this.#authentication(signal, deadline))
    signal?.throwIfAborted()
    return call(this.#dispatchersFor(authentication), {
      origin: this.#authenticator.server.origin,
      method,
      path: this.#basePath + path,
      headers: { ...headers, ...authentication.headers },
      body: body ?? null,
      headersTimeout: HEADERS_TIMEOUT_MS,
      bodyTimeout: HEADERS_TIMEOUT_MS,
    })
  }

  /** Waits no longer than the call's timeout, and stops when the caller aborts. */
  async #authentication(
    signal: AbortSignal | undefined,
    deadline: number | undefined,
  ): Promise<Authentication> {
    signal?.throwIfAborted()
    const late = new AbortController()
    const timer =
      deadline === undefined
        ? undefined
        : setTimeout(() => late.abort(noCredentialsInTime()), deadline - performance.now())
    const loaded = this.#authenticator.current().catch((cause: unknown) => {
      throw new CredentialsError('no credentials', { cause })
    })
    try {
      return await unlessAborted(signal ? AbortSignal.any([late.signal, signal]) : late.signal, loaded)
    } finally {
      clearTimeout(timer)
    }
  }

  #dispatchersFor({ tls, tlsId }: Authentication): Dispatchers {
    if (this.#closed) throw new Error('the connection to the cluster is closed: we are stopping')
    const present = this.#dispatchers
    if (present?.tlsId === tlsId) return present
    if (present) {
      for (const dispatcher of [...Object.values(present.calls), present.watches]) this.#retire(dispatcher)
    }
    const calls = {
      lease: this.#dispatcher(tls, SOCKETS.lease),
      reads: this.#dispatcher(tls, SOCKETS.reads),
      reviews: this.#dispatcher(tls, SOCKETS.reviews),
      writes: this.#dispatcher(tls, SOCKETS.writes),
    }
    const watches = this.#dispatcher(tls, null)
    this.#dispatchers = { tlsId, calls, watches }
    return this.#dispatchers
  }

  #dispatcher(tls: TlsOptions, connections: number | null): Dispatcher {
    const { server, proxy } = this.#authenticator
    const connect = {
      ...tls,
      timeout: CONNECT_TIMEOUT_MS,
      keepAlive: true,
      keepAliveInitialDelay: KEEP_ALIVE_DELAY_MS,
    }
    const options = { connections, pipelining: 1, allowH2: false, keepAliveTimeout: IDLE_SOCKET_MS }
    const dispatcher = proxy
      ? new ProxyAgent({ ...options, uri: proxy, requestTls: connect, connectTimeout: CONNECT_TIMEOUT_MS })
      : new Pool(server.origin, { ...options, connect })
    this.#live.add(dispatcher)
    return dispatcher
  }

  /** Calls in flight on it are finished first. */
  #retire(dispatcher: Dispatcher): void {
    const forget = () => this.#live.delete(dispatcher)
    dispatcher.close().then(forget, forget)
  }
}

function noCredentialsInTime(): DOMException {
  return new DOMException('no credentials in time', 'TimeoutError')
}
