import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { pino } from 'pino'
import type { Logger } from '../../src/service/process/logger.ts'
import { KubernetesClient } from '../../src/kubernetes/client.ts'
import { HttpTransport } from '../../src/kubernetes/http.ts'
import type { KubernetesObserver } from '../../src/kubernetes/ports.ts'

export interface Received {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

export type Handler = (received: Received, response: ServerResponse) => void

export const silentLogger: Logger = pino({ level: 'silent' })

/** An HTTP server on loopback that answers as each test tells it to, however rudely. */
export class FakeApiServer {
  readonly received: Received[] = []
  /** Asked first to last; one that answers has to end or hold the response itself. */
  handler: Handler = (_, response) => response.writeHead(404).end('{}')
  readonly sockets = new Set<Socket>()
  readonly #server = createServer((request, response) => void this.#take(request, response))
  #origin = ''

  async start(): Promise<this> {
    this.#server.on('connection', (socket) => {
      this.sockets.add(socket)
      socket.on('close', () => this.sockets.delete(socket))
    })
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    const { port } = this.#server.address() as AddressInfo
    this.#origin = `http://127.0.0.1:${port}`
    return this
  }

  get url(): URL {
    return new URL(this.#origin)
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise<void>((resolve) => this.#server.close(() => resolve()))
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const url = new URL(request.url ?? '/', 'http://fake')
    const received = {
      method: request.method ?? '',
      path: url.pathname,
      query: url.searchParams,
      headers: request.headers,
      body: Buffer.concat(chunks).toString(),
    }
    this.received.push(received)
    this.handler(received, response)
  }
}

export function answer(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
}

export function failure(code: number, message: string, reason = 'Whatever'): object {
  return { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, message, reason }
}

export class RecordingObserver implements KubernetesObserver {
  readonly calls: string[] = []
  readonly restarts: string[] = []
  dropped = 0
  listenerFailures = 0

  request(verb: string, resource: string, code: number): void {
    this.calls.push(`${verb} ${resource} ${code}`)
  }

  watchRestarted(kind: string, reason: string): void {
    this.restarts.push(`${kind} ${reason}`)
  }

  eventDropped(): void {
    this.dropped++
  }

  listenerFailed(): void {
    this.listenerFailures++
  }
}

/** A transport to the fake without credentials. */
export function transportTo(server: URL): HttpTransport {
  return new HttpTransport({
    server,
    proxy: undefined,
    known: undefined,
    current: async () => ({ headers: {}, tls: {}, tlsId: '' }),
    renew: () => {},
  })
}

export function clientFor(
  transport: HttpTransport,
  observer = new RecordingObserver(),
  timeout = 5000,
): KubernetesClient {
  return new KubernetesClient({ transport, observer, timeout, delay: async () => {} })
}

/** Resolves when the condition holds; the test's own timeout is its limit. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await setTimeout(2)
}
