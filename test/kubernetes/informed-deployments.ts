import type { ServerResponse } from 'node:http'
import { KINDS, type Kind } from '../../src/domain/workload/workload.ts'
import type { Delay } from '../../src/process/delay.ts'
import { WorkloadInformer } from '../../src/kubernetes/workload-informer.ts'
import {
  FakeApiServer,
  answer,
  failure,
  silentLogger,
  until,
  type Handler,
  type Received,
} from './fake-api-server.ts'
import { deployment } from './objects.ts'

export const page = (version: string, items: object[], token?: string) => ({
  metadata: { resourceVersion: version, ...(token !== undefined && { continue: token }) },
  items,
})

export const list =
  (version: string, ...items: object[]): Handler =>
  (_, response) =>
    answer(response, 200, page(version, items))

/** An event of a watch. */
const line = (type: string, object: object) => `${JSON.stringify({ type, object })}\n`

/** The Deployment `web`, as it came. */
export const web = (resourceVersion: string, parts: object = {}) =>
  deployment('web', { resourceVersion, ...parts })

/** Too old a version, as an event or the answer to a watch. */
export const EXPIRED = failure(410, 'too old resource version', 'Expired')

/** A new one, open, for each test of this `describe`; it is closed afterwards. */
export function informedDeployments(use: (api: InformedDeployments) => void): void {
  let api: InformedDeployments
  beforeEach(async () => {
    api = new InformedDeployments()
    use(api)
    await api.open()
  })
  afterEach(() => api.close())
}

/** An informer and its API server, whose answers for Deployments are told in turn; the other kinds are empty. */
export class InformedDeployments {
  readonly server = new FakeApiServer()
  readonly observer = this.server.observer
  /** Answers to the next lists and watches; the last one stays. */
  lists: Handler[] = [list('100', deployment('web'))]
  watches: Handler[]
  /** The responses of the watches that stand. */
  readonly standing: ServerResponse[] = []
  /** `before > after name`, by resourceVersions. */
  readonly changes: string[] = []
  /** Milliseconds that were waited. */
  readonly pauses: number[] = []
  #informer: WorkloadInformer | undefined
  #closed = false

  constructor() {
    this.watches = [this.stand]
    this.server.handler = (received, response) => {
      const kind = received.path.split('/').at(-1) as Kind
      const queue = received.query.has('watch') ? this.watches : this.lists
      if (kind === 'deployments') (queue.length > 1 ? queue.shift() : queue[0])?.(received, response)
      else if (received.query.has('watch')) response.writeHead(200).flushHeaders()
      else answer(response, 200, page('100', []))
    }
  }

  /** Monotonic: when the process last stood still. */
  stoodStillAt = -Infinity

  readonly stand: Handler = (_, response) => {
    response.writeHead(200).flushHeaders()
    this.standing.push(response)
  }

  get informer(): WorkloadInformer {
    if (!this.#informer) throw new TypeError('not open')
    return this.#informer
  }

  async open(): Promise<void> {
    await this.server.start()
    this.create(60_000)
  }

  /** Another informer in place of the first, before that was started. */
  create(silence: number, watchSeconds?: number): void {
    const delay: Delay = async (milliseconds) => void this.pauses.push(milliseconds)
    const { client, observer } = this.server
    const standstill = { since: (instant: number) => this.stoodStillAt > instant }
    const options = { client, observer, logger: silentLogger, delay, silence, watchSeconds, standstill }
    this.#informer = new WorkloadInformer(options)
    this.#informer.onChange((before, after) => {
      const versions = `${before?.resourceVersion ?? '-'} > ${after?.resourceVersion ?? '-'}`
      this.changes.push(`${versions} ${(after ?? before)?.name}`)
    })
  }

  /** All kinds are there, however often that had to be tried. */
  async complete(): Promise<void> {
    await this.informer.start()
    await this.informer.complete()
  }

  /** The kinds that are not current. */
  missing(): Kind[] {
    return KINDS.filter((kind) => !this.informer.isConnected(kind))
  }

  /** As `complete`, and the first watch of Deployments that stands is there. */
  async started(): Promise<void> {
    await this.complete()
    await this.stood(1)
  }

  /** An event of the newest watch. */
  tell(type: string, object: object): void {
    this.standing.at(-1)?.write(line(type, object))
  }

  /** So many watches have stood, with the one that stands now. */
  async stood(count: number): Promise<void> {
    await until(() => this.standing.length === count)
  }

  /** The version that the newest watch began at. */
  get from(): string | null | undefined {
    return this.asked('watch').at(-1)?.query.get('resourceVersion')
  }

  /** Resolves when nothing of the client's is left open. */
  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    await this.informer.stop()
    await this.server.transport.close()
    await until(() => this.server.sockets.size === 0)
    await this.server.stop()
  }

  asked(what: 'list' | 'watch'): Received[] {
    return this.server.received.filter(
      ({ path, query }) => path.endsWith('/deployments') && query.has('watch') === (what === 'watch'),
    )
  }

  restarts(): string[] {
    return this.observer.restarts.filter((each) => each.startsWith('deployments'))
  }
}
