import { createServer, type Server, type Socket } from 'node:net'
import type { PortRange } from '../domain/traffic/port-ledger.ts'
import { KEEP_ALIVE } from './dial.ts'

/** Connections of all ports together; one more is closed at once. */
const MOST_OPEN = 10_000

interface Options {
  /** The addresses to listen at. */
  readonly hosts: readonly string[]
  readonly ports: PortRange
  readonly take: (socket: Socket, port: number) => void
}

/** One server for each port of the range and each address. */
export class Listeners {
  readonly #options: Options
  readonly #servers: Server[] = []
  readonly #open = new Set<Socket>()

  constructor(options: Options) {
    this.#options = options
  }

  get open(): number {
    return this.#open.size
  }

  /** Resolves once all listen. @throws Error that names a port that cannot be had */
  async start(): Promise<void> {
    const { hosts, ports: range } = this.#options
    const ports = Array.from({ length: range.to - range.from + 1 }, (_, index) => range.from + index)
    try {
      await Promise.all(ports.flatMap((port) => hosts.map((host) => this.#listen(host, port))))
    } catch (error) {
      await this.stop()
      throw error
    }
  }

  /** Closes them, and every connection. */
  async stop(): Promise<void> {
    const closed = this.#servers
      .splice(0)
      .filter(({ listening }) => listening)
      .map((server) => new Promise<void>((resolve) => server.close(() => resolve())))
    for (const socket of this.#open) socket.destroy()
    await Promise.all(closed)
  }

  async #listen(host: string, port: number): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const options = {
      allowHalfOpen: true,
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: KEEP_ALIVE,
    }
    const server = createServer(options, (socket) => this.#take(socket, port))
    this.#servers.push(server)
    server.on('error', reject)
    server.listen({ host, port }, resolve)
    try {
      await promise
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException
      const message = `cannot listen on ${host} port ${port} (${code}): waker.ports is for a range that nothing else listens on`
      throw new Error(message, { cause: error })
    }
  }

  #take(socket: Socket, port: number): void {
    // The event `close` follows, and tells enough.
    socket.on('error', () => {})
    if (this.#open.size >= MOST_OPEN) return void socket.destroy()
    this.#open.add(socket)
    socket.once('close', () => this.#open.delete(socket))
    this.#options.take(socket, port)
  }
}
