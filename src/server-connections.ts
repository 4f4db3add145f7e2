import type { IncomingMessage, Server, ServerOptions, ServerResponse } from 'node:http'
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

interface Connection {
  readonly socket: Socket
  /** Requests that are not answered yet. */
  inFlight: number
}

/**
 * Limits the connections of one server, also those whose TLS handshake never ends, which Node does not track. One too
 * many closes the connection that has been silent for longest, first among those that never sent a request: a client
 * that keeps connections open loses those, and ordinary clients get through.
 */
export class ServerConnections {
  readonly #most: number
  #arrivals = 0
  /** Connections without any request so far, the oldest first. */
  readonly #silent = new Set<Connection>()
  /** Connections that wait for their next request, the longest first. */
  readonly #idle = new Set<Connection>()
  readonly #all = new Set<Connection>()
  readonly #ofPeer = new Map<string, Connection>()
  /** By the socket of a request, which over TLS is not the one that connected. */
  readonly #ofSocket = new WeakMap<Socket, Connection>()

  constructor(server: Server | TlsServer, most = MOST_CONNECTIONS) {
    this.#most = most
    server.on('connection', (socket: Socket) => this.#connected(socket))
    server.prependListener('secureConnection', (socket: TLSSocket) => {
      const connection = this.#ofPeer.get(peerOf(socket))
      if (connection) this.#ofSocket.set(socket, connection)
    })
    server.prependListener('request', (request, response) => this.#requested(request, response))
  }

  /** How many connections and requests have come so far. */
  get arrivals(): number {
    return this.#arrivals
  }

  /** Closes the connections without a request in flight. */
  destroySilent(): void {
    for (const { socket, inFlight } of this.#all) if (inFlight === 0) socket.destroy()
  }

  destroyAll(): void {
    for (const { socket } of this.#all) socket.destroy()
  }

  #connected(socket: Socket): void {
    this.#arrivals++
    const connection: Connection = { socket, inFlight: 0 }
    const peer = peerOf(socket)
    this.#all.add(connection)
    this.#silent.add(connection)
    this.#ofPeer.set(peer, connection)
    this.#ofSocket.set(socket, connection)
    socket.once('close', () => {
      this.#all.delete(connection)
      this.#silent.delete(connection)
      this.#idle.delete(connection)
      if (this.#ofPeer.get(peer) === connection) this.#ofPeer.delete(peer)
    })
    if (this.#all.size <= this.#most) return
    const [silent] = this.#silent
    const [idle] = this.#idle
    const last = silent === connection ? (idle ?? connection) : silent
    last?.socket.destroy()
  }

  #requested({ socket }: IncomingMessage, response: ServerResponse): void {
    this.#arrivals++
    const connection = this.#ofSocket.get(socket)
    if (!connection) return
    connection.inFlight += 1
    this.#silent.delete(connection)
    this.#idle.delete(connection)
    response.once('close', () => {
      connection.inFlight -= 1
      if (connection.inFlight === 0 && this.#all.has(connection)) this.#idle.add(connection)
    })
  }
}

/** Whether the TLS handshake of the socket is under way: nothing can be sent to the client yet. */
export function isShakingHands(socket: Socket): boolean {
  return 'secureConnecting' in socket && socket.secureConnecting === true
}

function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`
}
