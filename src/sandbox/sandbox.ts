import { createServer } from 'node:http'
import type { Server } from 'node:http'
import { stringify } from 'yaml'
import type { Clock, Instant } from '../process/clock.ts'
import type { Runnable } from '../process/runnable.ts'
import { Admission } from './admission/admission.ts'
import { ClientWrites } from './admission/client-writes.ts'
import { handle } from './http/api-server.ts'
import { ObjectStore } from './store/object-store.ts'
import { Registry } from './store/registry.ts'
import { EndpointSlices } from './controllers/endpoint-slices.ts'
import { Rollout } from './controllers/rollout.ts'
import { seedCluster, seedPreview, seedShop, seedWaker, PREVIEW, type Nap } from './seed.ts'
import { App } from './traffic/app.ts'
import { ServiceAddress } from './traffic/service-address.ts'
import { Watches } from './http/watch.ts'

/** Receives the sandbox's own bugs, and failures of webhooks that the failurePolicy ignores. */
interface SandboxLogger {
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

export interface SandboxOptions {
  /** On loopback; 0 picks a free port. */
  port: number
  clock: Clock
  logger?: SandboxLogger
  /** Milliseconds from a pod's creation until it is ready; 1000 when left out. */
  readyAfterMs?: number
  /** Whether to create a small shop beside what any cluster has; false when left out. */
  seed?: boolean
  /** The Service by whose endpoints Dormouse finds its waker, which runs in this process; absent: there is none. */
  waker?: { namespace: string; name: string }
  /** The zone of its schedules; UTC when left out. */
  timezone?: string
  /** Called for every request before it is answered. */
  onRequest?: (request: { method: string; url: string; userAgent: string }) => void
}

const HOST = '127.0.0.1'
const CONTEXT = 'dormouse-sandbox'
const KEEP_ALIVE_MS = 120_000

/** A Kubernetes API in memory, over plain HTTP on loopback, with simulated controllers. */
export class SandboxCluster implements Runnable {
  readonly name = 'sandbox cluster'
  readonly #options: SandboxOptions
  readonly #store: ObjectStore
  readonly #watches: Watches
  readonly #registry: Registry
  readonly #admission: Admission
  readonly #rollout: Rollout
  readonly #slices: EndpointSlices
  readonly #app = new App(CONTEXT)
  readonly #preview: ServiceAddress
  #server: Server | undefined
  #port: number
  #nap: Nap | undefined

  constructor(options: SandboxOptions) {
    const { clock, logger } = options
    this.#options = options
    this.#port = options.port
    this.#store = new ObjectStore(clock)
    this.#watches = new Watches(this.#store)
    this.#registry = new Registry(this.#store, clock)
    this.#admission = new Admission(this.#store, (failure) =>
      logger?.warn({ err: failure }, 'a webhook failed; its failurePolicy is Ignore, so the write continues'),
    )
    this.#rollout = new Rollout({
      registry: this.#registry,
      clock,
      readyAfterMs: options.readyAfterMs ?? 1000,
      onError: (error) => logger?.error({ err: error }, 'the sandbox could not reconcile a workload'),
    })
    this.#slices = new EndpointSlices(this.#registry)
    this.#preview = new ServiceAddress(this.#store, PREVIEW)
  }

  /** `http://127.0.0.1:<port>`, known once started. */
  get url(): string {
    return `http://${HOST}:${this.#port}`
  }

  /** The name of its kubeconfig's context. */
  get context(): string {
    return CONTEXT
  }

  /** When `staging/storefront` is asleep; known once started with `seed`. */
  get nap(): Nap | undefined {
    return this.#nap
  }

  /** The address of the Service `staging/preview`; known once started with `seed`. */
  get preview(): string {
    return this.#preview.url
  }

  /** A kubeconfig as YAML, without credentials: every client on loopback is the administrator. */
  kubeconfig(): string {
    const name = CONTEXT
    return stringify({
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name, cluster: { server: this.url } }],
      users: [{ name, user: {} }],
      contexts: [{ name, context: { cluster: name, user: name, namespace: 'default' } }],
      'current-context': name,
    })
  }

  async start(): Promise<void> {
    const now = this.#options.clock()
    seedCluster(this.#store, now)
    if (this.#options.seed) await this.#seed(now, this.#options.timezone ?? 'UTC')
    await this.#rollout.start()
    await this.#slices.start()
    await this.#listen()
  }

  async #seed(now: Instant, timezone: string): Promise<void> {
    await this.#app.start()
    await this.#preview.start()
    this.#nap = seedShop(this.#store, now, timezone)
    seedPreview(this.#store, now, timezone, this.#app.port)
    if (this.#options.waker) seedWaker(this.#store, now, this.#options.waker)
  }

  async stop(): Promise<void> {
    await this.#preview.stop()
    await this.#app.stop()
    await this.#slices.stop()
    await this.#rollout.stop()
    await this.#close()
    await this.#admission.close()
  }

  async #listen(): Promise<void> {
    const { logger, onRequest } = this.#options
    const parts = {
      registry: this.#registry,
      writes: new ClientWrites(this.#registry, this.#admission),
      watches: this.#watches,
      clock: this.#options.clock,
      onError: (error: unknown, request: string) =>
        logger?.error({ err: error, request }, 'the sandbox could not answer'),
      onRequest: onRequest ?? (() => {}),
    }
    const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
      void handle(request, response, parts)
    })
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(this.#port, HOST, resolve)
    })
    const address = server.address()
    if (typeof address === 'object' && address) this.#port = address.port
    this.#server = server
  }

  async #close(): Promise<void> {
    const server = this.#server
    if (!server) return
    await new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  }
}
