import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { LIMITS, ServerConnections } from '../http/server-connections.ts'
import type { Knocks } from './knocks.ts'
import type { AnswerPage, ClaimedPort } from './ports.ts'

/** Bytes: more than proxies pass on. Apps may take more than our own API does, such as cookies of sign-on. */
const LARGEST_HEAD = 64 * 1024

interface Options {
  readonly portOf: (number: number) => ClaimedPort | undefined
  readonly knocks: Pick<Knocks, 'of'>
  readonly answer: AnswerPage
}

/** Connections in the modes page and button: HTTP/1 that is answered here. */
export class Pages {
  readonly #options: Options
  readonly #connections = new ServerConnections()
  readonly #server: Server
  #leaving = false

  constructor(options: Options) {
    this.#options = options
    const handle = this.#connections.guard((request, response) => this.#answer(request, response))
    this.#server = this.#connections.watch(createServer({ ...LIMITS, maxHeaderSize: LARGEST_HEAD }, handle))
    // A form posted to a sleeper is not to be sent: it is answered before its body.
    this.#server.on('checkContinue', handle)
    this.#server.on('checkExpectation', handle)
  }

  start(): void {
    // It never listens itself, and Node looks for slow clients only from this event on.
    this.#server.emit('listening')
  }

  take(socket: Socket): void {
    this.#server.emit('connection', socket)
  }

  /** From now on each answer is its connection's last. */
  leave(): void {
    this.#leaving = true
    this.#connections.destroySilent()
  }

  stop(): void {
    this.#connections.destroyAll()
    // It never listened, so all that this ends is the look for slow clients.
    this.#server.close(() => {})
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const { portOf, knocks, answer } = this.#options
    if (this.#leaving) response.setHeader('Connection', 'close')
    const port = portOf(request.socket.localPort ?? 0)
    if (port?.mode === 'page' || port?.mode === 'button')
      return answer(port, knocks.of(port), request, response)
    response.writeHead(503, { 'Retry-After': '5', 'Cache-Control': 'no-store', Connection: 'close' }).end()
  }
}
