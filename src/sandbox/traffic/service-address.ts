import { connect, createServer, type Socket } from 'node:net'
import { SERVICE_LABEL } from '../../domain/traffic/slices.ts'
import type { Runnable } from '../../process/runnable.ts'
import { isRecord, list, valueAt, type StoredObject } from '../store/object.ts'
import type { ObjectStore } from '../store/object-store.ts'
import { served } from '../store/resources.ts'

const SLICES = served('discovery.k8s.io', 'endpointslices').store

/**
 * The address of one Service, on loopback. Each connection goes to an endpoint of the Service's slices by kube-proxy's
 * rule: one that is ready, else one that serves while it ends; with none the connection is refused.
 */
export class ServiceAddress implements Runnable {
  readonly name = 'service address'
  readonly #store: ObjectStore
  readonly #of: { readonly namespace: string; readonly service: string }
  readonly #open = new Set<Socket>()
  readonly #server = createServer({ allowHalfOpen: true }, (socket) => this.#forward(socket))

  constructor(store: ObjectStore, of: { readonly namespace: string; readonly service: string }) {
    this.#store = store
    this.#of = of
  }

  /** `http://localhost:<port>/`, of a free port. @throws TypeError before it is started */
  get url(): string {
    const address = this.#server.address()
    if (typeof address !== 'object' || !address) throw new TypeError('the address is not started')
    return `http://localhost:${address.port}/`
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject)
      this.#server.listen(0, '127.0.0.1', resolve)
    })
  }

  async stop(): Promise<void> {
    for (const socket of this.#open) socket.destroy()
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve())
    })
  }

  #forward(client: Socket): void {
    const { namespace, service } = this.#of
    const slices = this.#store
      .list(SLICES, namespace)
      .filter(({ metadata }) => metadata.labels?.[SERVICE_LABEL] === service)
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
