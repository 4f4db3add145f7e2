import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'

/** A TCP proxy in front of Dormouse's replicas, like a Service. */
export class Balancer {
  readonly #server: Server
  readonly #open = new Map<Socket, number>()
  #targets: readonly number[] = []
  #turn = 0

  private constructor(server: Server) {
    this.#server = server
  }

  static async start(): Promise<Balancer> {
    const server = createServer()
    const balancer = new Balancer(server)
    server.on('connection', (socket) => balancer.#pass(socket))
    await once(server.listen(0, '127.0.0.1'), 'listening')
    return balancer
  }

  get url(): string {
    return `https://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** Sends new connections to these ports in turn; `cut` also ends open connections to other ports. */
  to(targets: readonly number[], { cut = false } = {}): void {
    this.#targets = targets
    if (!cut) return
    for (const [socket, port] of this.#open) if (!targets.includes(port)) socket.destroy()
  }

  async stop(): Promise<void> {
    for (const socket of this.#open.keys()) socket.destroy()
    const closed = once(this.#server, 'close')
    this.#server.close()
    await closed
  }

  #pass(socket: Socket): void {
    const port = this.#targets[this.#turn++ % this.#targets.length]
    if (port === undefined) {
      socket.resetAndDestroy()
      return
    }
    const backend = connect(port, '127.0.0.1')
    this.#open.set(socket, port)
    socket.on('close', () => {
      this.#open.delete(socket)
      backend.destroy()
    })
    backend.on('close', () => socket.destroySoon())
    socket.on('error', () => backend.destroy())
    backend.on('error', () => socket.destroy())
    socket.pipe(backend)
    backend.pipe(socket)
  }
}
