import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { Logger } from '../../process/logger.ts'
import type { Runnable } from '../../process/runnable.ts'
import { boundUrl } from '../../http/bound-url.ts'
import { LIMITS, ServerConnections } from '../../http/server-connections.ts'

/**
 * Whether the process can serve, and what is missing: each reason a short sentence. Some reasons do not prevent
 * readiness.
 */
export interface Readiness {
  readonly ready: boolean
  readonly reasons: readonly string[]
}

export interface MetricsServerOptions {
  readonly host: string
  /** 0: any free one. */
  readonly port: number
  readonly metrics: { readonly contentType: string; exposition(): Promise<string> }
  readonly ready: () => Readiness
  readonly logger: Logger
}

interface Answer {
  readonly status: number
  readonly body: string
  readonly type?: string
}

/** A scraper or a probe needs one or two; each may leave an answer of 1 MB or more unread. */
const MOST_CONNECTIONS = 32

/** Serves /metrics, /healthz (the process lives) and /readyz (it can do its work) over plain HTTP. */
export class MetricsServer implements Runnable {
  readonly name = 'metrics'
  readonly #options: MetricsServerOptions
  #rendering: Promise<string> | undefined
  #serving: { readonly server: Server; readonly connections: ServerConnections } | undefined

  constructor(options: MetricsServerOptions) {
    this.#options = options
  }

  /** The address that it listens at; throws TypeError before `start`. */
  get url(): string {
    const address = this.#serving?.server.address() as AddressInfo | null | undefined
    if (!address) throw new TypeError('the metrics server is not started')
    return boundUrl('http', address)
  }

  /** Rejects when the port cannot be had. */
  async start(): Promise<void> {
    const connections = new ServerConnections(MOST_CONNECTIONS)
    const handle = connections.guard((request, response) => {
      this.#serve(request, response).catch((error: unknown) => {
        this.#options.logger.error({ err: error }, 'a request for metrics failed')
        send(response, { status: 500, body: 'internal error: see the log' })
      })
    })
    const server = connections.watch(createServer(LIMITS, handle))
    server.listen(this.#options.port, this.#options.host)
    await once(server, 'listening')
    this.#serving = { server, connections }
  }

  async stop(): Promise<void> {
    if (!this.#serving) return
    const { server, connections } = this.#serving
    this.#serving = undefined
    const closed = once(server, 'close')
    server.close()
    connections.destroyAll()
    await closed
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.setHeader('Allow', 'GET, HEAD')
      return send(response, { status: 405, body: 'only GET and HEAD' })
    }
    const [path] = (request.url ?? '/').split('?')
    send(response, await this.#answer(path))
  }

  async #answer(path: string | undefined): Promise<Answer> {
    const { metrics, ready } = this.#options
    if (path === '/metrics') return { status: 200, body: await this.#exposition(), type: metrics.contentType }
    if (path === '/healthz') return { status: 200, body: 'ok' }
    if (path !== '/readyz') return { status: 404, body: 'not found: try /metrics, /healthz or /readyz' }
    const readiness = ready()
    const told = (what: string) => [what, ...readiness.reasons].join('\n- ')
    if (!readiness.ready) return { status: 503, body: told('not ready:') }
    return { status: 200, body: readiness.reasons.length > 0 ? told('ready, but:') : 'ready' }
  }

  /** One at a time, shared by all concurrent callers: many scrapes cost no more than one. */
  async #exposition(): Promise<string> {
    this.#rendering ??= this.#options.metrics.exposition().finally(() => (this.#rendering = undefined))
    return await this.#rendering
  }
}

function send(response: ServerResponse, { status, body, type = 'text/plain; charset=utf-8' }: Answer): void {
  response.writeHead(status, { 'Content-Type': type, 'Cache-Control': 'no-store' })
  response.end(body.endsWith('\n') ? body : `${body}\n`)
}
