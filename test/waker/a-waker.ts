import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { pino } from 'pino'
import type { Logger } from '../../src/process/logger.ts'
import type { Allocation } from '../../src/domain/traffic/allocation.ts'
import type { Knock, KnockAnswer, KnockState } from '../../src/domain/traffic/knock.ts'
import type { TrafficMode } from '../../src/domain/traffic-mode.ts'
import { delay, type Delay } from '../../src/process/delay.ts'
import type { AnswerPage, RefusalReason, Target } from '../../src/waker/ports.ts'
import { Waker, type WakerOptions } from '../../src/waker/waker.ts'

export const OWN = '127.0.0.1'

export const answering = (state: KnockState, change: Partial<KnockAnswer> = {}): KnockAnswer => ({
  state,
  woken: state === 'waking',
  until: null,
  late: false,
  usual_seconds: null,
  workloads: [],
  ...change,
})

/** A waker on loopback, with slices, endpoints and knocks as a test says. */
export class AWaker {
  readonly knocks: Knock[] = []
  readonly refused: RefusalReason[] = []
  readonly protocols: string[] = []
  readonly seconds: number[] = []
  readonly results: string[] = []
  /** Answers each knock. */
  knock: (knock: Knock) => Promise<KnockAnswer> | KnockAnswer = () => answering('waking')
  /** The Services whose endpoints are followed. */
  following = 0
  #port = 0
  #waker: Waker | undefined
  readonly #slices = new Map<string, Allocation>()
  readonly #changed: ((slice: string, allocation: Allocation | undefined) => void)[] = []
  readonly #targets = new Map<string, Target[]>()
  readonly #told = new Set<() => void>()
  readonly #closing: (() => unknown)[] = []

  get port(): number {
    return this.#port
  }

  get waker(): Waker {
    if (!this.#waker) throw new TypeError('the waker is not started')
    return this.#waker
  }

  /** With some free ports that follow each other. */
  async start(change: Partial<WakerOptions> = {}, size = 2): Promise<this> {
    for (let attempt = 0; ; attempt++) {
      const from = 10_000 + Math.floor(Math.random() * 20_000)
      this.#waker = new Waker({ ...this.#options(), ports: { from, to: from + size - 1 }, ...change })
      this.#port = from
      try {
        await this.#waker.start()
        return this
      } catch (error) {
        if (attempt === 20) throw error
      }
    }
  }

  async stop(): Promise<void> {
    for (const close of this.#closing.splice(0)) await close()
    this.allocate(undefined, { at: 0 })
    this.#slices.clear()
    for (const changed of this.#changed) changed('gone', undefined)
    await this.#waker?.stop()
    this.#waker = undefined
  }

  /** A slice of ours for the port; `undefined`: it is gone. */
  allocate(
    mode: TrafficMode | undefined,
    { at = 0, port = this.port, service = 'web', workloads = ['deployments/web'], addresses = [OWN] } = {},
  ): void {
    const slice = `shop/${service}`
    const ports = mode && [{ name: 'tcp', number: port + at, mode }]
    const allocation = ports && { namespace: 'shop', service, ports, workloads, addresses }
    if (allocation) this.#slices.set(slice, allocation)
    else this.#slices.delete(slice)
    for (const changed of this.#changed) changed(slice, allocation)
  }

  /** The ready pods of a Service; none: all are gone. */
  ready(targets: readonly Target[], service = 'web'): void {
    this.#targets.set(service, [...targets])
    for (const told of this.#told) told()
  }

  /** A pod that serves; it is not ready by itself. */
  async pod(serve: (socket: Socket) => void): Promise<Target & { readonly server: Server }> {
    const server = createServer({ allowHalfOpen: true }, (socket) => {
      socket.on('error', () => {})
      serve(socket)
    })
    server.listen(0, OWN)
    await once(server, 'listening')
    const sockets = new Set<Socket>()
    server.on('connection', (socket) => sockets.add(socket))
    this.#closing.push(() => {
      for (const socket of sockets) socket.destroy()
      server.close()
    })
    return { host: OWN, port: (server.address() as AddressInfo).port, server }
  }

  /** A client of a port, connected. */
  async client(at = 0): Promise<Client> {
    const socket = connect({ host: OWN, port: this.port + at, allowHalfOpen: true })
    this.#closing.push(() => socket.destroy())
    const client = new Client(socket)
    await once(socket, 'connect')
    return client
  }

  #options(): WakerOptions {
    return {
      hosts: [OWN],
      ports: { from: 0, to: 0 },
      addresses: [OWN],
      hold: 20_000,
      held: 1024,
      heldPerService: 64,
      allocations: {
        list: () => this.#slices,
        onChange: (listener) => void this.#changed.push(listener),
      },
      follow: ({ service }) => {
        this.following++
        return {
          listed: Promise.resolve(),
          isReady: (this.#targets.get(service) ?? []).length > 0,
          of: () => this.#targets.get(service) ?? [],
          onChange: (listener) => {
            this.#told.add(listener)
            return () => this.#told.delete(listener)
          },
          close: () => void this.following--,
        }
      },
      send: async (knock) => {
        // It greets by a look at nothing.
        if (knock.service === '') return answering('off')
        this.knocks.push(knock)
        return this.knock(knock)
      },
      answer: PAGE,
      isAutomatic: (userAgent) => /^(?:kube-probe|Prometheus|GoogleHC)\//.test(userAgent ?? ''),
      observer: {
        knocked: (result) => this.results.push(result),
        connected: (protocol) => this.protocols.push(protocol),
        refused: (reason) => this.refused.push(reason),
        joined: (seconds) => this.seconds.push(seconds),
      },
      clock: () => Date.now(),
      monotonic: () => performance.now(),
      later: (callback, milliseconds) => {
        const timeout = setTimeout(callback, milliseconds)
        return () => clearTimeout(timeout)
      },
      delay: SHORT,
      logger: SILENT,
    }
  }
}

const PAGE: AnswerPage = (port, _, __, response) => {
  response.writeHead(503).end(`page of ${port.service}`)
}
const SILENT: Logger = pino({ level: 'silent' })
/** Every pause is a hundredth. */
const SHORT: Delay = (milliseconds, signal) => delay(milliseconds / 100, signal)

/** A client's socket, with all that it has received. */
export class Client {
  readonly socket: Socket
  /** Resolves once it hears nothing more. */
  readonly ended: Promise<void>
  received = Buffer.alloc(0)
  #told: () => void = () => {}

  constructor(socket: Socket) {
    this.socket = socket
    socket.on('error', () => {})
    socket.on('data', (chunk: Buffer) => {
      this.received = Buffer.concat([this.received, chunk])
      this.#told()
    })
    this.ended = new Promise((resolve) => {
      socket.once('end', () => resolve())
      socket.once('close', () => resolve())
    })
  }

  get text(): string {
    return this.received.toString('latin1')
  }

  send(text: string | Buffer): this {
    this.socket.write(text)
    return this
  }

  /** Resolves once it has received this. */
  async until(holds: (text: string) => boolean): Promise<string> {
    while (!holds(this.text)) await new Promise<void>((resolve) => (this.#told = resolve))
    return this.text
  }
}
