import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer as createHttp, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createHttp2 } from 'node:http2'
import { createServer, type Server, type Socket } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Container, PodOf } from '../support/kubelet.ts'

/** The app's ports, by the names of its Service's. */
export const APP_PORTS = { http: 8080, h2c: 8081, postgres: 5432, greeting: 3306 } as const
export type AppPort = keyof typeof APP_PORTS

const WEBSOCKET_GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'
/** Postgres' request for TLS, and what it answers to a startup message: authenticated, and ready for a query. */
const SSL_REQUEST = 80_877_103
const READY_FOR_QUERY = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0, 0x5a, 0, 0, 0, 5, 0x49])

/** Milliseconds. */
interface Times {
  /** Before it listens. */
  readonly start: number
  /** From then until it is ready: it listens, but nobody may call yet. */
  readonly warm: number
  /** For which it stays ready after SIGTERM, and for which it then serves on, as an app does that loses nobody. */
  readonly grace: number
  readonly drain: number
}

/** A pod's app: it answers on each of its ports, and notes whoever calls before it is ready. */
export class App implements Container {
  readonly ended: Promise<unknown>
  readonly #servers: readonly Server[]
  readonly #sockets = new Set<Socket>()
  readonly #terminated = new AbortController()
  #ready = false

  private constructor(pod: PodOf, times: Times, early: (pod: PodOf) => void) {
    this.#servers = serversOf(pod)
    for (const server of this.#servers)
      server.on('connection', (socket: Socket) => {
        if (!this.#ready && !this.#terminated.signal.aborted) early(pod)
        this.#sockets.add(socket)
        socket.on('error', () => {}).once('close', () => this.#sockets.delete(socket))
      })
    this.ended = this.#live(pod, times)
  }

  static start(pod: PodOf, times: Times, early: (pod: PodOf) => void): App {
    return new App(pod, times, early)
  }

  async isReady(): Promise<boolean> {
    return this.#ready
  }

  terminate(): void {
    this.#terminated.abort()
  }

  async #live(pod: PodOf, { start, warm, grace, drain }: Times): Promise<void> {
    const { signal } = this.#terminated
    const until = (milliseconds: number) => sleep(milliseconds, undefined, { signal }).catch(() => {})
    await until(start)
    await Promise.all(
      Object.values(APP_PORTS).map((port, index) =>
        once(this.#servers[index]!.listen(port, pod.address), 'listening'),
      ),
    )
    await until(warm)
    this.#ready = true
    if (!signal.aborted) await once(signal, 'abort')
    await sleep(grace)
    this.#ready = false
    await sleep(drain)
    for (const server of this.#servers) server.close()
    for (const socket of this.#sockets) socket.destroy()
  }
}

/** In the order of `APP_PORTS`. */
function serversOf({ name }: PodOf): readonly Server[] {
  const http = createHttp((request, response) => void answer(name, request, response))
  http.on('upgrade', (request: IncomingMessage, socket: Socket) => upgrade(request, socket))
  const h2c = createHttp2((_, response) => response.end(`pod ${name}`))
  h2c.on('sessionError', () => {})
  const greeting = createServer((socket) => socket.end(`pod ${name}\n`))
  return [http, h2c, createServer(postgres), greeting]
}

/** A GET gets the pod's name, a POST the digest of what came. */
async function answer(name: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method !== 'POST') return void response.end(`pod ${name}`)
  const body = await buffer(request).catch(() => undefined)
  if (body) response.end(digestOf(body))
}

export function digestOf(body: Buffer): string {
  return createHash('sha256').update(body).digest('hex')
}

/** After the upgrade it sends back what it gets, without a look at frames. */
function upgrade(request: IncomingMessage, socket: Socket): void {
  const accept = acceptFor(request.headers['sec-websocket-key'] ?? '')
  const head = ['HTTP/1.1 101 Switching Protocols', 'Upgrade: websocket', 'Connection: Upgrade']
  socket.write(`${[...head, `Sec-WebSocket-Accept: ${accept}`].join('\r\n')}\r\n\r\n`)
  socket.on('error', () => {}).pipe(socket)
}

/** RFC 6455, section 4.2.2. */
export function acceptFor(key: string): string {
  return createHash('sha1').update(`${key}${WEBSOCKET_GUID}`).digest('base64')
}

/** The first packets of Postgres' protocol: no TLS, then everybody is let in. */
function postgres(socket: Socket): void {
  let held = Buffer.alloc(0)
  socket.on('data', (chunk: Buffer) => {
    held = Buffer.concat([held, chunk])
    while (held.length >= 8 && held.length >= held.readInt32BE(0)) {
      const isRequestForTls = held.readInt32BE(4) === SSL_REQUEST
      held = held.subarray(held.readInt32BE(0))
      socket.write(isRequestForTls ? 'N' : READY_FOR_QUERY)
    }
  })
}
