import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import pLimit from 'p-limit'
import type { Instant } from '../../src/process/clock.ts'
import type { StatusRecord } from '../../src/domain/records/record.ts'
import { lay, type AnyFault } from '../faults/arbitrary-faults.ts'
import { FaultProxy } from '../faults/fault-proxy.ts'
import { behind } from '../faults/through-faults.ts'
import { define, undefine } from '../keda/operator.ts'
import { freePorts } from '../control-plane/ports.ts'
import type { ApiAnswer, CallOptions, Method } from '../support/api-client.ts'
import { Balancer } from '../support/balancer.ts'
import type { Cluster } from '../support/cluster.ts'
import { Dormouse, type Settings } from '../support/dormouse.ts'
import { inForce, ownNamespace, withdraw } from '../support/enforced.ts'
import type { ProgramClock } from '../support/program-clock.ts'
import { HOUR, MINUTE } from '../support/rules.ts'
import { createNamespace } from '../support/served.ts'
import { CONFIGURED, defineBoats, undefineBoats } from './kinds.ts'
import { calendarsAround, POLICIES } from './policies.ts'

const PROBED = 'model-probe'

/** The settings of scenarios; the model's rules come from the same ones. */
export const SETTINGS = {
  newWorkloadGrace: '0s',
  kinds: CONFIGURED,
  policies: POLICIES,
  calendars: calendarsAround(Date.now()),
  wakeOrderTimeout: '1s',
  backoff: { maxOperations: 6, window: '30m', base: '1m', max: '4m' },
} as const

export interface Replica {
  readonly dormouse: Dormouse
  /** Between it and the API server. */
  readonly proxy: FaultProxy
  /** The webhook's port. */
  readonly port: number
}

/** A cluster, replicas of Dormouse behind a balancer that asks their webhooks, and the clock that they all share. */
export class World {
  readonly cluster: Cluster
  readonly replicas: Replica[] = []
  readonly #clock: ProgramClock
  readonly #balancer: Balancer
  readonly #oneAtATime = pLimit(1)
  readonly #tokens = new Map<Dormouse, { readonly text: string; readonly until: Instant }>()

  private constructor(cluster: Cluster, clock: ProgramClock, balancer: Balancer) {
    this.cluster = cluster
    this.#clock = clock
    this.#balancer = balancer
  }

  /** `clock`: of the replicas, and of a cluster whose clock can be moved. */
  static async start(cluster: Cluster, replicas: number, clock: ProgramClock): Promise<World> {
    const balancer = await Balancer.start()
    const world = new World(cluster, clock, balancer)
    await ownNamespace(cluster)
    await define(cluster)
    await defineBoats(cluster)
    for (let each = 0; each < replicas; each += 1) await world.#join()
    const { status } = await cluster.admin.send('GET', `/api/v1/namespaces/${PROBED}`)
    if (status === 404) await createNamespace(cluster, PROBED)
    await inForce(cluster, PROBED)
    return world
  }

  get now(): Instant {
    return this.#clock.now()
  }

  /** Milliseconds that the clock was moved so far. */
  get ahead(): number {
    return this.#clock.offset
  }

  /** Moves everybody's clock ahead; where it cannot be moved, waits as long, or for the next minute if that is sooner. */
  async pass(milliseconds: number): Promise<void> {
    if (this.cluster.isReal) return sleep(Math.min(milliseconds, MINUTE - (Date.now() % MINUTE)))
    this.#clock.moveTo(this.#clock.offset + milliseconds)
  }

  /** Asks a replica that runs, `which` of them in turn. */
  async call<Data = StatusRecord>(
    which: number,
    method: Method,
    path: string,
    options: CallOptions = {},
  ): Promise<ApiAnswer<Data>> {
    const running = this.replicas.filter(({ dormouse }) => dormouse.isRunning)
    const chosen = running[which % running.length]
    if (!chosen) throw new TypeError('no replica runs')
    return chosen.dormouse.api.call<Data>(method, path, {
      ...options,
      token: await this.#tokenOf(chosen.dormouse),
    })
  }

  /** Lays a fault between one of the replicas and the API server. */
  lay(which: number, fault: AnyFault): void {
    const replica = this.replicas[which % this.replicas.length]
    if (replica) lay(replica.proxy, fault)
  }

  /** SIGTERM or SIGKILL, and a new start. The others go on meanwhile. */
  restart(which: number, how: 'terminate' | 'kill'): Promise<void> {
    return this.#oneAtATime(() => this.#restart(which, how))
  }

  async #restart(which: number, how: 'terminate' | 'kill'): Promise<void> {
    const replica = this.replicas[which % this.replicas.length]
    if (!replica) throw new TypeError('there is no replica')
    const { dormouse } = replica
    const others = this.replicas.filter((each) => each !== replica && each.dormouse.isRunning)
    this.#balancer.to(
      others.map(({ port }) => port),
      { cut: how === 'kill' },
    )
    await dormouse[how]()
    await dormouse.start()
    this.#balance()
  }

  /** Memory and open descriptors of each replica that runs. */
  async load(): Promise<{ readonly megabytes: number; readonly descriptors: number }[]> {
    const pids = this.replicas
      .filter(({ dormouse }) => dormouse.isRunning)
      .map(({ dormouse }) => dormouse.pid)
    return Promise.all(
      pids.map(async (pid) => {
        const [, kilobytes] = /^VmRSS:\s+(\d+) kB/m.exec(await readFile(`/proc/${pid}/status`, 'utf8')) ?? []
        const descriptors = (await readdir(`/proc/${pid}/fd`)).length
        return { megabytes: Math.round(Number(kilobytes) / 1000), descriptors }
      }),
    )
  }

  /** Entries of the logs from `since` on that no scenario may cause. */
  errors(): unknown[] {
    return this.replicas.flatMap(({ dormouse }) =>
      dormouse.log.filter(({ level }) => level === 'error' || level === 'fatal'),
    )
  }

  async stop(): Promise<void> {
    for (const { dormouse, proxy } of this.replicas) {
      proxy.lift()
      await dormouse.stop()
      await proxy.stop()
    }
    await withdraw(this.cluster)
    await undefine(this.cluster)
    await undefineBoats(this.cluster)
    await this.#balancer.stop()
    this.#clock.remove()
  }

  async #join(): Promise<void> {
    const [port] = await freePorts(1)
    const settings: Settings = {
      ...SETTINGS,
      api: { host: '127.0.0.1', port: 0, insecurePort: 0, rate: { perSecond: 100_000, burst: 100_000 } },
      webhook: {
        port,
        url: this.#balancer.url,
        // None is renewed while the clock moves: it would not be valid yet by the API server's.
        certificates: { leafLifetime: '8760h', caLifetime: '87600h' },
      },
      controller: {
        lease: { namespace: 'dormouse', duration: '3s', renew: '2s', retry: '300ms' },
        // A scenario may have more causes in a minute than people would.
        writesPerWorkload: 100,
      },
    }
    const proxy = await FaultProxy.before(this.cluster.dormouseKubeconfig)
    const dormouse = await Dormouse.start(behind(proxy, this.cluster), settings, this.#clock.preload)
    this.replicas.push({ dormouse, proxy, port })
    this.#balance()
  }

  #balance(): void {
    const running = this.replicas.filter(({ dormouse }) => dormouse.isRunning)
    this.#balancer.to(running.map(({ port }) => port))
  }

  /** A token that is valid by everybody's clock. */
  async #tokenOf(dormouse: Dormouse): Promise<string> {
    const known = this.#tokens.get(dormouse)
    if (known && known.until > this.now) return known.text
    const issuedAt = Math.floor(this.now / 1000)
    const text = await dormouse.tokens.token({ issuedAt, expiresAt: issuedAt + HOUR / 1000 })
    this.#tokens.set(dormouse, { text, until: this.now + HOUR / 2 })
    return text
  }
}
