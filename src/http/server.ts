import { randomUUID } from 'node:crypto'
import { createServer, STATUS_CODES, type RequestListener, type Server, type ServerOptions } from 'node:http'
import type { Server as TlsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { setImmediate as turnOfTheLoop, setTimeout as delay } from 'node:timers/promises'
import type { Clock } from '../process/clock.ts'
import { Refusal } from '../process/errors.ts'
import type { Logger } from '../process/logger.ts'
import type { Runnable } from '../process/runnable.ts'
import { boundUrl } from './bound-url.ts'
import { errorBody } from './errors.ts'
import { isShakingHands, LIMITS, ServerConnections } from './server-connections.ts'

/**
 * Over TLS: the API server (Go's transport) keeps an idle connection to a webhook for 90 s. If we closed it first, a
 * review sent at that moment would fail.
 */
const TLS_KEEP_ALIVE = 120_000
/** How long `stop` waits for requests in flight, in milliseconds. */
const DRAIN = 8000
/**
 * How long a stopping server over TLS goes on answering, each time with `Connection: close`, before it closes
 * connections itself: a review on a connection that we cut would fail. In milliseconds.
 */
const LINGER = 1000

/** How long the client of a broken request has to read the answer, in milliseconds. */
const LAST_WORDS = 1000

/** An address and its handler; `createServer` may make an HTTPS server, or a shared one. */
export interface Listener {
  readonly host: string
  /** 0: a free one. */
  readonly port: number
  readonly createServer?: (options: ServerOptions, handle: RequestListener) => Server | TlsServer
  readonly handle: RequestListener
}

interface Serving {
  readonly server: Server | TlsServer
  readonly connections: ServerConnections
}

interface Deps {
  readonly clock: Clock
  readonly logger: Logger
  /** Called when the stop begins: ends long requests. */
  readonly drain?: () => void
}

/** Serves the API and the webhook; `stop` finishes requests in flight and cuts those that take longer than 8 s. */
export class HttpServer implements Runnable {
  readonly name = 'servers'
  readonly #listeners: readonly Listener[]
  readonly #deps: Deps
  readonly #serving: Serving[] = []
  #leaving = false

  constructor(listeners: readonly Listener[], deps: Deps) {
    this.#listeners = listeners
    this.#deps = deps
  }

  /** The URL of the first listener, once started: `http://127.0.0.1:8181`. */
  get url(): string {
    const [url] = this.urls
    if (url === undefined) throw new TypeError('the server has not been started')
    return url
  }

  get urls(): string[] {
    return this.#serving.map(({ server }) => {
      const scheme = 'setSecureContext' in server ? 'https' : 'http'
      return boundUrl(scheme, server.address() as AddressInfo)
    })
  }

  async start(): Promise<void> {
    try {
      for (const listener of this.#listeners) this.#serving.push(await this.#listen(listener))
    } catch (error) {
      await this.stop()
      throw error
    }
  }

  async stop(): Promise<void> {
    this.#deps.drain?.()
    const serving = this.#serving.splice(0)
    this.#leaving = true
    if (serving.some(({ server }) => 'setSecureContext' in server)) await delay(LINGER)
    await allRead(serving)
    const cut = setTimeout(() => {
      this.#deps.logger.warn('cutting requests that are still in flight')
      for (const { connections } of serving) connections.destroyAll()
    }, DRAIN)
    await Promise.all(serving.map(closed))
    clearTimeout(cut)
  }

  async #listen({ host, port, createServer: create = createServer, handle }: Listener): Promise<Serving> {
    const connections = new ServerConnections()
    const guarded = connections.guard(handle)
    const server = connections.watch(create(LIMITS, guarded))
    if ('setSecureContext' in server) server.keepAliveTimeout = TLS_KEEP_ALIVE
    server.prependListener('request', (_, response) => {
      if (this.#leaving) response.setHeader('Connection', 'close')
    })
    // a server may ignore expectations that it does not know (RFC 9110, section 10.1.1)
    server.on('checkExpectation', guarded)
    server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => this.#refuse(error, socket))
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    server.once('error', reject)
    server.listen({ host, port }, resolve)
    await promise
    server.off('error', reject)
    server.on('error', (error) => this.#deps.logger.error({ err: error }, 'server failed'))
    return { server, connections }
  }

  /** Answers bytes that are not HTTP, too many or too slow with the envelope, and closes the connection. */
  #refuse(error: NodeJS.ErrnoException, socket: Socket): void {
    if (error.code === 'ECONNRESET' || !socket.writable || isShakingHands(socket))
      return void socket.destroy()
    const [status, message] = parserFault(error.code)
    const refusal = new Refusal('VALIDATION_ERROR', message)
    const body = JSON.stringify(errorBody(refusal, this.#deps.clock(), randomUUID()))
    const head = [
      `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Connection: close',
    ]
    socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
    // a client that never closes its half would keep the socket
    setTimeout(() => socket.destroy(), LAST_WORDS).unref()
  }
}

function parserFault(code: string | undefined): [number, string] {
  if (code === 'HPE_HEADER_OVERFLOW') return [431, 'the headers are larger than 16 KiB: send less']
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return [408, 'the request took too long to arrive: send it faster']
  return [400, 'this is not an HTTP request: check the client']
}

/** Until a few turns of the event loop bring nothing more: Node accepts one connection a turn, and reads it in a later one. */
async function allRead(serving: readonly Serving[]): Promise<void> {
  const arrivals = () => serving.reduce((sum, { connections }) => sum + connections.arrivals, 0)
  const until = performance.now() + LINGER
  for (let before = -1; before !== arrivals() && performance.now() < until;) {
    before = arrivals()
    for (let turn = 0; turn < 4; turn++) await turnOfTheLoop()
  }
}

async function closed({ server, connections }: Serving): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  server.close(() => resolve())
  connections.destroySilent()
  await promise
}
