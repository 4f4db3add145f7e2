import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { inParallel } from '../support/eventually.ts'

/** How a hostile client behaves on its connection. */
export interface Behaviour {
  /** Sent at once. */
  readonly first?: string
  /** Sent again and again, twice a second. */
  readonly drip?: string
  /** Does not begin TLS, or HTTP. */
  readonly silent?: true
}

const PACE = 500
const WIDTH = 100

/** Many connections of hostile clients: they read nothing, and never close anything before `leave`. */
export class Crowd {
  readonly #sockets: Socket[] = []
  readonly #drip: NodeJS.Timeout | undefined

  private constructor({ drip }: Behaviour) {
    if (drip === undefined) return
    this.#drip = setInterval(() => {
      for (const socket of this.#sockets) if (socket.writable) socket.write(drip)
    }, PACE)
  }

  /** Connects `count` times, from `from` (an address of loopback). The server may have closed some by then. */
  static async open(url: string, count: number, behaviour: Behaviour, from = '127.0.0.1'): Promise<Crowd> {
    const crowd = new Crowd(behaviour)
    const { protocol, hostname, port } = new URL(url)
    const to = { host: hostname, port: Number(port), localAddress: from, allowHalfOpen: true }
    const isTls = protocol === 'https:' && !behaviour.silent
    await inParallel(
      Array.from({ length: count }),
      async () => {
        const socket = isTls ? connectTls({ ...to, rejectUnauthorized: false }) : connect(to)
        crowd.#sockets.push(socket)
        await connected(socket, isTls ? 'secureConnect' : 'connect')
        if (behaviour.first !== undefined && socket.writable) socket.write(behaviour.first)
        socket.pause()
      },
      WIDTH,
    )
    return crowd
  }

  async leave(): Promise<void> {
    clearInterval(this.#drip)
    const open = this.#sockets.filter((socket) => !socket.closed)
    const closed = open.map((socket) => once(socket, 'close'))
    for (const socket of open) socket.destroy()
    await Promise.all(closed)
  }
}

/** Resolves also when the server closes it instead. @throws Error if nobody listens there */
function connected(socket: Socket, event: 'connect' | 'secureConnect'): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once(event, resolve).once('close', () => resolve())
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED') reject(error)
    })
  })
}
