import type { Socket } from 'node:net'
import type { Later, Monotonic } from '../process/clock.ts'
import type { Logger } from '../process/logger.ts'
import { unlessAborted } from '../process/unless-aborted.ts'
import { join } from './join.ts'
import { isWatcher } from './page/agents.ts'
import { answerWatcher, NotJoined, refuse } from './not-joined.ts'
import { Held, type Places } from './places.ts'
import type { Protocol, ClaimedPort, WakerObserver } from './ports.ts'
import { headOf, protocolOf, userAgentOf } from './sniff.ts'
import { WaitingClient } from './waiting-client.ts'
import type { Wakings } from './waking.ts'

/** Milliseconds that a client has to say what it wants: its first byte, or the whole head of an HTTP request. */
const SILENCE = 10_000
/** Milliseconds after which first bytes that may become an HTTP request are taken as they are. */
const UNDECIDED = 1000

export interface HeldOptions extends Places {
  readonly wakings: Pick<Wakings, 'connected'>
  /** Milliseconds that a connection is held. */
  readonly hold: number
  /** Whether a User-Agent is that of a probe or a scraper. */
  readonly isAutomatic: (userAgent: string | undefined) => boolean
  readonly observer: WakerObserver
  readonly monotonic: Monotonic
  readonly later: Later
  readonly logger: Logger
}

/** Connections in the modes any and connect: each waits for a pod, and is joined to it. */
export class HeldConnections {
  readonly #options: HeldOptions
  readonly #held: Held
  readonly #works = new Set<Promise<void>>()
  readonly #clients = new Set<Socket>()

  constructor(options: HeldOptions) {
    this.#options = options
    this.#held = new Held(options)
  }

  /** Connections that wait for a pod. */
  get held(): number {
    return this.#held.size
  }

  /** Takes a connection over, to its end. */
  take(socket: Socket, port: ClaimedPort): void {
    this.#clients.add(socket)
    const work = this.#serve(new WaitingClient(socket), port)
      .catch((err: unknown) => {
        this.#options.logger.error({ err }, 'a connection failed by a fault of ours')
        socket.destroy()
      })
      .finally(() => {
        this.#works.delete(work)
        this.#clients.delete(socket)
      })
    this.#works.add(work)
  }

  /** Resolves once every connection of now has ended. */
  async ended(): Promise<void> {
    await Promise.all(this.#works)
  }

  /** Closes all of them; resolves once that is done. */
  async cut(): Promise<void> {
    for (const socket of this.#clients) socket.destroy()
    await this.ended()
  }

  async #serve(client: WaitingClient, port: ClaimedPort): Promise<void> {
    const { observer, monotonic } = this.#options
    try {
      // Browsers connect ahead of their requests, and balancers to look: who says nothing takes nobody's place.
      if (port.mode !== 'connect') await this.#until(SILENCE, client, () => client.bytes.length > 0)
      const began = monotonic()
      const leave = this.#held.take(port, client)
      let pod: Socket | undefined
      try {
        pod = await this.#podFor(client, port)
      } finally {
        leave()
      }
      if (!pod) return
      observer.joined((monotonic() - began) / 1000)
      await join(client.socket, pod, client.release())
    } catch (error) {
      if (client.left.aborted) return
      if (!(error instanceof NotJoined)) throw error
      await this.#refused(client, error)
    }
  }

  /** undefined: it was answered without a pod. @throws NotJoined; whatever, once the client has left */
  async #podFor(client: WaitingClient, port: ClaimedPort): Promise<Socket | undefined> {
    const { observer, isAutomatic, hold, wakings } = this.#options
    if (port.mode !== 'connect') {
      const protocol = await this.#protocol(client)
      observer.connected(protocol)
      if (protocol === 'http1') {
        const userAgent = userAgentOf(await this.#head(client))
        if (isAutomatic(userAgent)) return this.#turnAway(client, userAgent)
      }
      // Clients of these end their half only to leave; others may do so before they read.
      if (protocol !== 'raw') client.onEnd(() => client.leave())
      if (protocol !== 'raw' && client.hasEnded) client.leave()
    } else {
      client.onEnd(() => client.bytes.length === 0 && client.leave())
      observer.connected(protocolOf(client.bytes) ?? 'raw')
    }
    return this.#within(hold, client, new NotJoined('late'), (signal) => wakings.connected(port, signal))
  }

  #turnAway(client: WaitingClient, userAgent: string | undefined): undefined {
    if (!isWatcher(userAgent)) throw new NotJoined('automatic')
    this.#options.observer.refused('automatic')
    answerWatcher(client)
  }

  /** By its first bytes. */
  async #protocol(client: WaitingClient): Promise<Protocol> {
    const decided = () => protocolOf(client.bytes) !== undefined
    await this.#until(UNDECIDED, client, decided).catch(() => {})
    client.left.throwIfAborted()
    return protocolOf(client.bytes) ?? 'raw'
  }

  /** As much as is held of a head that is larger. */
  async #head(client: WaitingClient): Promise<string> {
    await this.#until(SILENCE, client, () => client.isFull || headOf(client.bytes) !== undefined)
    return headOf(client.bytes) ?? client.bytes.toString('latin1')
  }

  /** @throws NotJoined `silent` when the condition does not hold in time, or never will */
  #until(milliseconds: number, client: WaitingClient, holds: () => boolean): Promise<void> {
    return this.#within(milliseconds, client, new NotJoined('silent'), async (signal) => {
      while (!holds()) {
        if (client.hasEnded) throw new NotJoined('silent')
        await client.more()
        signal.throwIfAborted()
      }
    })
  }

  /** Until its time is over, or the client leaves. @throws `late`, or what the task throws */
  async #within<T>(
    milliseconds: number,
    client: WaitingClient,
    late: NotJoined,
    task: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const over = new AbortController()
    const signal = AbortSignal.any([over.signal, client.left])
    const disarm = this.#options.later(() => over.abort(late), milliseconds)
    const work = task(signal)
    work.catch(() => {})
    try {
      return await unlessAborted(signal, work)
    } finally {
      disarm()
    }
  }

  /** A client over a limit may have said too little: those of HTTP get an answer. */
  async #refused(client: WaitingClient, error: NotJoined): Promise<void> {
    this.#options.observer.refused(error.reason)
    if (error.reason === 'full' || error.reason === 'service-full')
      await this.#until(UNDECIDED, client, () => protocolOf(client.bytes) !== undefined).catch(() => {})
    if (!client.left.aborted) refuse(client, error)
  }
}
