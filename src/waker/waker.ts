import type { Socket } from 'node:net'
import type { PortRange } from '../domain/traffic/port-ledger.ts'
import type { Clock, Later, Monotonic } from '../process/clock.ts'
import { retryDelay, type Delay } from '../process/delay.ts'
import type { Logger } from '../process/logger.ts'
import type { Runnable } from '../process/runnable.ts'
import { HeldConnections } from './held-connections.ts'
import { Knocks } from './knocks.ts'
import { Listeners } from './listeners.ts'
import { Pages } from './pages.ts'
import type { Places } from './places.ts'
import { PortTable } from './port-table.ts'
import type {
  Allocations,
  AnswerPage,
  FollowEndpoints,
  ReadyEndpoints,
  SendKnock,
  ClaimedPort,
  Target,
  WakerObserver,
} from './ports.ts'
import { Wakings } from './waking.ts'

/** Milliseconds: a waker that stops serves on for so long at most, until no slice names it. */
const LONGEST_LEAVE = 30_000
/** Milliseconds that proxies take to follow the last slice. */
const PROXIES_FOLLOW = 2000
/** Milliseconds: the first and the longest pause between knocks before the first answer. */
const PAUSES = [500, 10_000] as const
/** Asks about nothing, and so shows that knocks are answered. */
const NOTHING: ClaimedPort = { namespace: '', service: '', port: '', mode: 'page', workloads: [] }

export interface WakerOptions extends Places {
  /** The addresses to listen at. */
  readonly hosts: readonly string[]
  readonly ports: PortRange
  /** The addresses by which slices name this waker; empty: outside a cluster. */
  readonly addresses: readonly string[]
  /** Milliseconds that a connection is held. */
  readonly hold: number
  readonly allocations: Allocations
  readonly follow: FollowEndpoints
  readonly send: SendKnock
  readonly answer: AnswerPage
  readonly isAutomatic: (userAgent: string | undefined) => boolean
  readonly observer: WakerObserver
  readonly clock: Clock
  readonly monotonic: Monotonic
  readonly later: Later
  readonly delay: Delay
  readonly logger: Logger
}

/** Answers connections to Services that sleep, wakes them, and leads connections to their pods. */
export class Waker implements Runnable {
  readonly name = 'waker'
  readonly #options: WakerOptions
  readonly #table: PortTable
  readonly #knocks: Knocks
  readonly #connections: HeldConnections
  readonly #pages: Pages
  readonly #listeners: Listeners
  readonly #stopped = new AbortController()
  #listens = false
  #leaving = false

  constructor(options: WakerOptions) {
    const { answer, clock, delay } = options
    this.#options = options
    this.#table = new PortTable(options)
    this.#knocks = new Knocks({ ...options, signal: this.#stopped.signal })
    const knocking = (port: ClaimedPort) => this.#knocks.of(port)
    const follow: FollowEndpoints = (service) => this.#withoutOurs(options.follow(service))
    const wakings = new Wakings({ follow, knocking, clock, delay })
    this.#connections = new HeldConnections({ ...options, wakings })
    this.#pages = new Pages({ portOf: (number) => this.#table.get(number), knocks: this.#knocks, answer })
    this.#listeners = new Listeners({ ...options, take: (socket, port) => this.#take(socket, port) })
  }

  /** The slices are to be listed before. Resolves once all ports listen. */
  async start(): Promise<void> {
    this.#table.follow()
    this.#pages.start()
    await this.#listeners.start()
    this.#listens = true
    void this.#greet()
  }

  /** Serves on until no slice names it and no connection is left, for 30 s at most. */
  async stop(): Promise<void> {
    this.#leaving = true
    if (this.#listens) {
      this.#pages.leave()
      const most = this.#options.delay(LONGEST_LEAVE, this.#stopped.signal).catch(() => {})
      await Promise.race([most, this.#left()])
    }
    this.#listens = false
    this.#stopped.abort()
    this.#pages.stop()
    await this.#listeners.stop()
    await this.#connections.cut()
  }

  /** Connections that wait for a pod. */
  get held(): number {
    return this.#connections.held
  }

  /** All connections of clients. */
  get open(): number {
    return this.#listeners.open
  }

  /** The reasons why it does not serve; empty: it does. */
  get missing(): readonly string[] {
    return [
      ...(this.#leaving ? ['it stops'] : []),
      ...(this.#listens ? [] : ['its ports do not listen yet: are slices listed? (the log says why not)']),
      ...(this.#knocks.answered ? [] : ['no knock was answered yet; the log says why']),
    ]
  }

  #take(socket: Socket, number: number): void {
    const port = this.#table.get(number)
    if (!port) {
      this.#options.observer.refused('no-port')
      return void socket.destroy()
    }
    if (port.mode === 'page' || port.mode === 'button') this.#pages.take(socket)
    else this.#connections.take(socket, port)
  }

  /** Knocks until it is answered, so that a wrong token or address shows before anybody calls. */
  async #greet(): Promise<void> {
    const { signal } = this.#stopped
    for (let attempt = 1; !signal.aborted && !this.#knocks.answered; attempt++) {
      if (attempt > 1) await this.#options.delay(retryDelay(attempt - 1, ...PAUSES), signal).catch(() => {})
      await this.#knocks.of(NOTHING).look()
    }
  }

  async #left(): Promise<void> {
    const { addresses, allocations, delay } = this.#options
    if (addresses.length > 0) {
      const { promise, resolve } = Promise.withResolvers<void>()
      const look = () => !this.#table.names(addresses) && resolve()
      allocations.onChange(look)
      look()
      await promise
      await delay(PROXIES_FOLLOW, this.#stopped.signal).catch(() => {})
    }
    await this.#connections.ended()
  }

  /** Slices of others that name wakers would lead connections in a circle. */
  #withoutOurs(endpoints: ReadyEndpoints): ReadyEndpoints {
    const { addresses, ports } = this.#options
    const isWaker = ({ host, port }: Target) =>
      port >= ports.from && port <= ports.to && (addresses.includes(host) || this.#table.isOfWaker(host))
    return {
      listed: endpoints.listed,
      get isReady() {
        return endpoints.isReady
      },
      of: (port) => endpoints.of(port).filter((each) => !isWaker(each)),
      onChange: (listener) => endpoints.onChange(listener),
      close: () => endpoints.close(),
    }
  }
}
