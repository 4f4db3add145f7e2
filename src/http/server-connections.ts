import type { IncomingMessage, RequestListener, Server, ServerOptions, ServerResponse } from 'node:http'
import type { Server as TlsServer } from 'node:https'
import type { Socket } from 'node:net'
import type { TLSSocket, TlsOptions } from 'node:tls'

/** Limits for slow clients of any server of ours, in milliseconds and bytes. */
export const LIMITS: ServerOptions & Pick<TlsOptions, 'handshakeTimeout'> = {
  handshakeTimeout: 10_000,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  // How often Node checks the two timeouts above.
  connectionsCheckingInterval: 2000,
  keepAliveTimeout: 65_000,
  maxHeaderSize: 16 * 1024,
}

/** For one server. A connection over TLS takes some 50 KiB. */
const MOST_CONNECTIONS = 1024
/**
 * Requests of one connection whose answers are not complete. Node starts all that arrive in one piece: some 2,000. Over
 * TLS it may report the end of an answer after the next request has arrived.
 */
const MOST_PIPELINED = 2
/** How long an answer may wait without the client reading any of it, in milliseconds. */
const UNREAD = 10_000

interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

interface Connection {
  readonly socket: Socket
  /** Requests whose answers have not been handed to the system. */
  readonly exchanges: Set<Exchange>
}

/**
 * Limits the connections of one server, including those whose TLS handshake never ends, which Node does not track. One
 * too many closes the connection that has waited longest for its client: to send a request, or the rest of it, or to
 * read an answer. So idle connections are closed first, and active clients are served.
 *
 *     const connections = new ServerConnections()
 *     const server = connections.watch(createServer(LIMITS, connections.guard(handle)))
 */
export class ServerConnections {
  readonly #most: number
  #arrivals = 0
  /** Ordered by when they connected, or by when their latest answer was complete; oldest first. */
  readonly #all = new Set<Connection>()
  readonly #ofPeer = new Map<string, Connection>()
  /** By the socket of a request, which over TLS is not the one that connected. */
  readonly #ofSocket = new WeakMap<Socket, Connection>()

  constructor(most = MOST_CONNECTIONS) {
    this.#most = most
  }

  /** The handler, but closing connections that have too many requests in flight. */
  guard(handle: RequestListener): RequestListener {
    return (request, response) => {
      if (this.#isAdmitted(request, response)) handle(request, response)
    }
  }

  /** Watches a server whose handler is guarded; returns it. */
  watch<S extends Server | TlsServer>(server: S): S {
    server.timeout = UNREAD
    server.on('timeout', (socket: Socket) => this.#timedOut(socket))
    server.on('connection', (socket: Socket) => this.#connected(socket))
    server.prependListener('secureConnection', (socket: TLSSocket) => {
      const connection = this.#ofPeer.get(peerOf(socket))
      if (connection) this.#ofSocket.set(socket, connection)
    })
    return server
  }

  /** How many connections and requests have come so far. */
  get arrivals(): number {
    return this.#arrivals
  }

  /** Closes the connections without a request in flight. */
  destroySilent(): void {
    for (const { socket, exchanges } of this.#all) if (exchanges.size === 0) socket.destroy()
  }

  destroyAll(): void {
    for (const { socket } of this.#all) socket.destroy()
  }

  #connected(socket: Socket): void {
    this.#arrivals++
    const connection: Connection = { socket, exchanges: new Set() }
    const peer = peerOf(socket)
    this.#all.add(connection)
    this.#ofPeer.set(peer, connection)
    this.#ofSocket.set(socket, connection)
    socket.once('close', () => {
      this.#all.delete(connection)
      if (this.#ofPeer.get(peer) === connection) this.#ofPeer.delete(peer)
      // Node reports only the answer whose turn it is.
      for (const { response } of connection.exchanges) if (!response.socket) response.destroy().emit('close')
    })
    if (this.#all.size > this.#most) this.#longestIdle(connection).socket.destroy()
  }

  /** The one to close when there is one too many; `newest` only if all others wait for us. */
  #longestIdle(newest: Connection): Connection {
    for (const connection of this.#all)
      if (connection !== newest && !waitsForUs(connection)) return connection
    return newest
  }

  #isAdmitted(request: IncomingMessage, response: ServerResponse): boolean {
    this.#arrivals++
    const connection = this.#ofSocket.get(request.socket)
    if (!connection) return true
    const { socket, exchanges } = connection
    // A closed connection may have more requests in what it had sent.
    if (socket.destroyed) return false
    if (exchanges.size === MOST_PIPELINED) {
      socket.destroy()
      return false
    }
    const exchange = { request, response }
    exchanges.add(exchange)
    response.once('close', () => {
      exchanges.delete(exchange)
      if (this.#all.delete(connection)) this.#all.add(connection)
    })
    return true
  }

  /** Nothing was read or written within the socket's timeout. */
  #timedOut(socket: Socket): void {
    const exchanges = [...(this.#ofSocket.get(socket)?.exchanges ?? [])]
    const isUnread = exchanges.some(({ response }) => response.writableEnded)
    // An answer may take longer (`?wait`), and a request has a limit of its own.
    if (exchanges.length > 0 && !isUnread) socket.setTimeout(UNREAD)
    else socket.destroy()
  }
}

/** Whether one of its requests is all here, and its answer is not. */
function waitsForUs({ exchanges }: Connection): boolean {
  for (const { request, response } of exchanges) if (request.complete && !response.writableEnded) return true
  return false
}

/** Whether the TLS handshake of the socket is under way: nothing can be sent to the client yet. */
export function isShakingHands(socket: Socket): boolean {
  return 'secureConnecting' in socket && socket.secureConnecting === true
}

function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`
}
