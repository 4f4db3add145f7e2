import type { IncomingMessage, Server, ServerOptions, ServerResponse } from 'node:http'
import type { Server as TlsServer } from 'node:https'
import type { Socket } from 'node:net'
import type { TLSSocket, TlsOptions } from 'node:tls'

/** Milliseconds, and bytes: what a slow or boundless client may take of any server of ours. */
export const LIMITS: ServerOptions & Pick<TlsOptions, 'handshakeTimeout'> = {
  handshakeTimeout: 10_000,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  // how often the latter two are looked at
  connectionsCheckingInterval: 2000,
  keepAliveTimeout: 65_000,
  maxHeaderSize: 16 * 1024,
}

/** Of one server; a connection over TLS takes some 50 KiB. */
const MOST_CONNECTIONS = 1024

interface Connection {
  readonly socket: Socket
  /** Requests that have not been answered. */
  inFlight: number
}

/**
 * The connections of one server, from their first byte on: Node itself forgets those whose TLS handshake never ends.
 * Beyond the most of them, the one that has been silent for longest makes room, those first that never sent a request:
 * whoever holds connections open loses those, and ordinary clients get through.
 */
export class ServerConnections {
  readonly #most: number
  /** Have sent no request yet, the oldest first. */
  readonly #silent = new Set<Connection>()
  /** Wait for the next request, the one that waits for longest first. */
  readonly #idle = new Set<Connection>()
  readonly #all = new Set<Connection>()
  readonly #ofPeer = new Map<string, Connection>()
  /** Of the sockets that requests come by: over TLS they are not those that were connected. */
  readonly #ofSocket = new WeakMap<Socket, Connection>()

  constructor(server: Server | TlsServer, most = MOST_CONNECTIONS) {
    this.#most = most
    server.on('connection', (socket: Socket) => this.#connected(socket))
    server.prependListener('secureConnection', (socket: TLSSocket) => {
      const connection = this.#ofPeer.get(peerOf(socket))
      if (connection) this.#ofSocket.set(socket, connection)
    })
    server.prependListener('request', (request, response) => this.#asked(request, response))
  }

  /** Closes those that no request is in flight on. */
  destroySilent(): void {
    for (const { socket, inFlight } of this.#all) if (inFlight === 0) socket.destroy()
  }

  destroyAll(): void {
    for (const { socket } of this.#all) socket.destroy()
  }

  #connected(socket: Socket): void {
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

  #asked({ socket }: IncomingMessage, response: ServerResponse): void {
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

/** Whether the socket is one of TLS whose handshake has not ended: it can be told nothing. */
export function isShakingHands(socket: Socket): boolean {
  return 'secureConnecting' in socket && socket.secureConnecting === true
}

function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`
}
