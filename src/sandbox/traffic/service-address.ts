import { connect, createServer, type Server, type Socket } from 'node:net'
import type { Runnable } from '../../process/runnable.ts'
import { SERVICE_NAME } from '../controllers/endpoint-slices.ts'
import { isRecord, list, valueAt, type StoredObject } from '../store/object.ts'
import type { ObjectStore } from '../store/object-store.ts'
import { served } from '../store/resources.ts'

const SLICES = served('discovery.k8s.io', 'endpointslices').store

export interface ServiceAddressOptions {
  readonly store: ObjectStore
  readonly namespace: string
  readonly service: string
  /** On loopback; 0 picks a free one. */
  readonly port: number
}

/**
 * The address of one Service, on loopback. Each connection goes to an endpoint of the Service's slices by kube-proxy's
 * rule: one that is ready, else one that serves while it ends; with none the connection is refused.
 */
export class ServiceAddress implements Runnable {
  readonly name = 'service address'
  readonly #options: ServiceAddressOptions
  readonly #open = new Set<Socket>()
  #server: Server | undefined
  #port: number

  constructor(options: ServiceAddressOptions) {
    this.#options = options
    this.#port = options.port
  }

  /** `http://localhost:<port>/`, known once started. */
  get url(): string {
    return `http://localhost:${this.#port}/`
  }

  async start(): Promise<void> {
    const server = createServer({ allowHalfOpen: true }, (socket) => this.#forward(socket))
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(this.#options.port, '127.0.0.1', resolve)
    })
    const address = server.address()
    if (typeof address === 'object' && address) this.#port = address.port
    this.#server = server
  }

  async stop(): Promise<void> {
    for (const socket of this.#open) socket.destroy()
    await new Promise<void>((resolve) => (this.#server ? this.#server.close(() => resolve()) : resolve()))
  }

  #forward(client: Socket): void {
    const { store, namespace, service } = this.#options
    const slices = store
      .list(SLICES, namespace)
      .filter(({ metadata }) => metadata.labels?.[SERVICE_NAME] === service)
    const endpoint = chosen(slices.flatMap(endpointsOf))
    if (!endpoint) {
      client.resetAndDestroy()
      return
    }
    const upstream = connect({ host: endpoint.address, port: endpoint.port, allowHalfOpen: true })
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      this.#open.add(socket)
      socket.once('close', () => {
        this.#open.delete(socket)
        other.destroy()
      })
      // The close that follows ends the other one.
      socket.on('error', () => {})
      socket.pipe(other)
    }
  }
}

interface Endpoint {
  readonly address: string
  readonly port: number
  readonly ready: boolean
  readonly isFallback: boolean
}

function endpointsOf(slice: StoredObject): Endpoint[] {
  const [port] = list(slice, 'ports')
  const number = isRecord(port) ? port['port'] : undefined
  if (typeof number !== 'number') return []
  return list(slice, 'endpoints').flatMap((endpoint) => {
    const is = (condition: string) => valueAt(endpoint, `conditions.${condition}`) === true
    return list(endpoint, 'addresses').map((address) => ({
      address: String(address),
      port: number,
      ready: is('ready'),
      isFallback: is('serving') && is('terminating'),
    }))
  })
}

function chosen(all: readonly Endpoint[]): Endpoint | undefined {
  const ready = all.filter((each) => each.ready)
  const from = ready.length > 0 ? ready : all.filter((each) => each.isFallback)
  return from[Math.floor(Math.random() * from.length)]
}
