import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer as createPlainServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { issueCa, issueLeaf } from '../../src/service/certificates/issue.ts'
import { calledBy, type Called } from './called.ts'
import type { CallFault, CallWhere, EventFault, EventWhere, Laid } from './faults.ts'
import { leadingTo, targetOf } from './kubeconfig.ts'
import { has, LaidFaults } from './laid-faults.ts'
import { passBody, passHalf, passHead, Relay } from './relay.ts'
import { strikeCall } from './strike-call.ts'
import { TappedWatch, type WatchedEvent } from './tapped-watch.ts'

interface FrozenView {
  readonly resource: string
  readonly thaws: Map<TappedWatch, () => void>
  readonly alive: NodeJS.Timeout
}

const HOUR = 3_600_000
/** Longer than Dormouse keeps idle sockets: the proxy ends none by itself. */
const KEEP_ALIVE_MS = 120_000
/** Shorter than the silence that Dormouse bears. */
const ALIVE_MS = 5000

/**
 * Stands between Dormouse and an API server, over plain HTTP or TLS, and passes on what both say until a fault is laid:
 *
 *     proxy.onCall({ verb: 'patch', name: 'web' }, { type: 'cut', stage: 'after' })
 *     proxy.onEvent({ resource: 'deployments', nth: 2 }, { type: 'lose' })
 *     const thaw = proxy.freeze('deployments')
 *     for (const watch of proxy.watches('deployments')) watch.cut()
 */
export class FaultProxy {
  /** The path of a kubeconfig with Dormouse's own credentials that leads here. */
  readonly kubeconfig: string
  /** The address that it listens at. */
  url = ''
  /** All calls, oldest first. */
  readonly calls: Called[] = []
  readonly #directory: string
  readonly #relay: Relay
  readonly #sockets = new Set<Socket>()
  readonly #onCalls = new LaidFaults<Called, CallFault>()
  readonly #onEvents = new LaidFaults<EventWhere, EventFault>()
  readonly #open = new Set<TappedWatch>()
  readonly #frozen = new Set<FrozenView>()
  #stopListening = async () => {}

  private constructor(directory: string, relay: Relay) {
    this.#directory = directory
    this.#relay = relay
    this.kubeconfig = join(directory, 'kubeconfig')
  }

  /** `kubeconfig`: the path of the one that Dormouse would use without a proxy. */
  static async before(kubeconfig: string): Promise<FaultProxy> {
    const text = await readFile(kubeconfig, 'utf8')
    const { url, ca } = targetOf(text)
    const directory = await mkdtemp(join(tmpdir(), 'dormouse-faults-'))
    const proxy = new FaultProxy(directory, new Relay(url, ca))
    const ownCa = ca === undefined ? undefined : await issueCa(Date.now(), 24 * HOUR)
    const address = await proxy.#listen(
      ownCa && (await issueLeaf(ownCa, ['127.0.0.1'], Date.now(), 24 * HOUR)),
    )
    proxy.url = address
    await writeFile(proxy.kubeconfig, leadingTo(text, address, ownCa?.cert), { mode: 0o600 })
    return proxy
  }

  /** Lays a fault on coming calls. Several may strike one call, in the order in which they were laid. */
  onCall(where: CallWhere, fault: CallFault): Laid {
    const { nth: _, times: __, ...wanted } = where
    return this.#onCalls.lay((called) => has<CallWhere>(called, wanted), where, fault)
  }

  /** Lays a fault on coming events of watches. The first that strikes an event counts. */
  onEvent(where: EventWhere, fault: EventFault): Laid {
    const { nth: _, times: __, ...wanted } = where
    const matches = (event: EventWhere) =>
      has(event, wanted) && (event.type !== 'BOOKMARK' || wanted.type === 'BOOKMARK')
    return this.#onEvents.lay(matches, where, fault)
  }

  /** The watches that are open now, of one resource or of all. */
  watches(resource?: string): TappedWatch[] {
    return [...this.#open].filter(({ called }) => resource === undefined || called.resource === resource)
  }

  /**
   * Holds back all watches of a resource, those to come included, until the function returned is called. Empty lines pass
   * meanwhile, so that Dormouse does not find them silent, and its view is as old as the test needs it.
   */
  freeze(resource: string): () => void {
    const alive = setInterval(() => {
      for (const watch of view.thaws.keys()) watch.say('')
    }, ALIVE_MS)
    const view: FrozenView = { resource, thaws: new Map(), alive }
    for (const watch of this.watches(resource)) view.thaws.set(watch, watch.freeze())
    this.#frozen.add(view)
    return () => this.#thaw(view)
  }

  /** The API server goes away: watches and calls are cut until the function returned brings it back. */
  away(): () => void {
    const laid = this.onCall({ times: Infinity }, { type: 'cut', stage: 'before' })
    for (const watch of this.#open) watch.cut()
    return () => laid.lift()
  }

  /** From now on both sides are passed on unchanged; delayed messages stay delayed. */
  lift(): void {
    this.#onCalls.lift()
    this.#onEvents.lift()
    for (const view of this.#frozen) this.#thaw(view)
  }

  async stop(): Promise<void> {
    this.lift()
    for (const socket of this.#sockets) socket.destroy()
    await this.#stopListening()
    this.#relay.close()
    await rm(this.#directory, { recursive: true, force: true })
  }

  #thaw(view: FrozenView): void {
    if (!this.#frozen.delete(view)) return
    clearInterval(view.alive)
    for (const thaw of view.thaws.values()) thaw()
  }

  async #listen(tls: { cert: string; key: string } | undefined): Promise<string> {
    const handle = (incoming: IncomingMessage, response: ServerResponse) => {
      // Any error between us and the API server is a cut for Dormouse.
      this.#handle(incoming, response).catch(() => response.destroy())
    }
    const server = tls ? createTlsServer(tls, handle) : createPlainServer(handle)
    server.keepAliveTimeout = KEEP_ALIVE_MS
    server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket)
      socket.once('close', () => this.#sockets.delete(socket))
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    this.#stopListening = async () => void (await once(server.close(), 'close'))
    return `${tls ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}`
  }

  async #handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const called = calledBy(incoming.method ?? 'GET', incoming.url ?? '/')
    const gone = new AbortController()
    response.once('close', () => gone.abort())
    const body = await buffer(incoming)
    this.calls.push(called)
    const faults = this.#onCalls.strike(called)
    if (await strikeCall('before', faults, called, response)) return
    const answer = await this.#relay.send(incoming, body, gone.signal)
    if (await strikeCall('after', faults, called, response)) {
      answer.resume()
      return
    }
    passHead(answer, response)
    const within = faults.find(({ stage }) => stage === 'within')
    if (within) {
      if (called.verb !== 'watch') await passHalf(answer, response)
      if (within.type === 'cut') response.destroy()
    } else if (called.verb === 'watch' && answer.statusCode === 200) this.#tap(called, answer, response)
    else await passBody(answer, response)
  }

  #tap(called: Called, answer: IncomingMessage, response: ServerResponse): void {
    const { resource } = called
    const strike = ({ type, object: { metadata } }: WatchedEvent) => {
      const { namespace, name } = metadata ?? {}
      return this.#onEvents.strike({ resource, type, namespace, name } as EventWhere)[0]
    }
    const watch = new TappedWatch(called, { answer, response }, strike)
    for (const view of this.#frozen) if (view.resource === resource) view.thaws.set(watch, watch.freeze())
    this.#open.add(watch)
    response.once('close', () => this.#open.delete(watch))
  }
}
