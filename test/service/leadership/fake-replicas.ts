import { LeaderElection } from '../../../src/service/leadership/leader-election.ts'
import type { Lease, LeaseRecord, LeaseStore } from '../../../src/kubernetes/ports.ts'
import type { Released } from '../../../src/domain/deciding/released.ts'
import type { Later } from '../../../src/process/clock.ts'
import { createLogger } from '../../../src/process/logger.ts'
import { FakeTime, settled } from '../../support/fake-time.ts'

export const START = Date.parse('2026-03-02T12:00:00Z')
export const DURATION = 15_000
export const RENEW = 10_000
export const RETRY = 2000

export const NEVER_HELD: LeaseRecord = {
  holder: '',
  durationSeconds: undefined,
  acquireTime: undefined,
  renewTime: undefined,
  transitions: 0,
}

/** How a replica's calls end: `lost` ones are carried out and then fail, `hang` ones never end. */
export type Weather = 'fair' | 'refused' | 'lost' | 'hang'

interface ReplicaOptions {
  /** How many of its milliseconds pass in a true one. */
  readonly rate?: number
  /** Milliseconds that its leading part takes to stop. */
  readonly stopTime?: number
  readonly force?: boolean
}

/** One Lease, several replicas, and a time that the test advances. */
export class FakeReplicas {
  readonly time = new FakeTime(START)
  /** The API server's stored Lease; undefined: there is none. */
  stored: { record: LeaseRecord; version: number } | undefined
  creatable = true
  /** Milliseconds for a call, half of them before it is carried out. */
  latency = 10
  /** Every instant at which two led at once. */
  readonly overlaps: string[] = []
  readonly replicas: FakeReplica[] = []
  #version = 0

  constructor(record: LeaseRecord | undefined = NEVER_HELD) {
    if (record) this.edit(record)
  }

  replica(options: ReplicaOptions = {}): FakeReplica {
    const replica = new FakeReplica(this, `replica-${this.replicas.length + 1}`, options)
    this.replicas.push(replica)
    return replica
  }

  /** Like kubectl: replaces any version. */
  edit(record: LeaseRecord): void {
    this.stored = { record, version: ++this.#version }
  }

  get leaders(): string[] {
    return this.replicas.filter(({ acting }) => acting).map(({ name }) => name)
  }

  get holder(): string | undefined {
    return this.stored?.record.holder
  }

  check(): void {
    const { leaders } = this
    if (leaders.length > 1) this.overlaps.push(`${this.time.clock() - START} ms: ${leaders.join(' and ')}`)
  }

  /** Passes time until it holds, at most so long; milliseconds that it took. */
  async until(condition: () => boolean, atMost: number): Promise<number> {
    const began = this.time.clock()
    while (!condition()) {
      if (this.time.clock() - began >= atMost) throw new Error(`not within ${atMost} ms`)
      await this.time.pass(50)
    }
    return this.time.clock() - began
  }
}

export class FakeReplica {
  readonly name: string
  readonly election: LeaderElection
  readonly told: string[] = []
  /** The mark of a release, as it was told last. */
  released: Released | undefined
  readonly logged: string[] = []
  weather: Weather = 'fair'
  /** Milliseconds by which answers come late. */
  late = 0
  /** Whether its leading part cannot be started. */
  startFails = false
  /** Its wall clock is wrong by so many milliseconds. */
  wallOffset = 0
  #world: FakeReplicas
  #running = false
  #dead = false
  #frozen: (() => void)[] | undefined

  constructor(world: FakeReplicas, name: string, { rate = 1, stopTime = 0, force = false }: ReplicaOptions) {
    this.#world = world
    this.name = name
    const { time } = world
    const later: Later = (callback, milliseconds) => {
      let wanted = true
      const fire = () => wanted && callback()
      const cancel = time.later(() => this.#deliver(fire), milliseconds / rate)
      return () => {
        wanted = false
        cancel()
      }
    }
    const part = {
      name: 'work',
      start: async () => {
        if (this.startFails) throw new Error('it does not start')
        this.#running = true
        this.told.push('start')
        world.check()
      },
      stop: async () => {
        if (stopTime > 0) await new Promise<void>((resolve) => later(resolve, stopTime))
        this.#running = false
        this.told.push('stop')
      },
    }
    this.election = new LeaderElection({
      lease: this.#store(),
      identity: name,
      leaseDuration: DURATION,
      renewDeadline: RENEW,
      retryPeriod: RETRY,
      clock: () => time.clock() + this.wallOffset,
      now: () => (time.clock() - START) * rate,
      later,
      logger: createLogger('info', {
        write: (line) => void this.logged.push((JSON.parse(line) as { msg: string }).msg),
      }),
      leading: [part],
      observer: {
        lead: (is) => void this.told.push(is ? 'lead' : 'follow'),
        released: (mark) => void (this.released = mark),
        leaseTaken: (from, milliseconds) => void this.told.push(`taken from ${from}, waits ${milliseconds}`),
      },
      force,
    })
  }

  /** Whether its leading part runs, in a process that does. */
  get acting(): boolean {
    return this.#running && !this.#dead && !this.#frozen
  }

  async start(): Promise<void> {
    void this.election.start()
    await this.#world.time.pass(this.#world.latency * 2 + 10)
  }

  /** kill -9 */
  crash(): void {
    this.#dead = true
  }

  /** SIGSTOP */
  freeze(): void {
    this.#frozen = []
  }

  /** SIGCONT: first come the timers that are overdue. */
  async thaw(): Promise<void> {
    const missed = this.#frozen ?? []
    this.#frozen = undefined
    for (const callback of missed) callback()
    await settled()
  }

  #deliver(callback: () => void): void {
    if (this.#dead) return
    if (this.#frozen) this.#frozen.push(callback)
    else callback()
  }

  #store(): LeaseStore {
    const world = this.#world
    const leaseOf = (stored: NonNullable<FakeReplicas['stored']>): Lease => ({
      record: stored.record,
      update: (record) =>
        this.#call(() => {
          if (world.stored?.version !== stored.version) return undefined
          world.edit(record)
          return leaseOf(world.stored)
        }),
    })
    return {
      get creatable() {
        return world.creatable
      },
      read: () => this.#call(() => world.stored && leaseOf(world.stored)),
      create: (record) =>
        this.#call(() => {
          if (world.stored) return undefined
          world.edit(record)
          return world.stored && leaseOf(world.stored)
        }),
    }
  }

  /** Heeds no signal: the slowest that a store can be. */
  async #call<T>(carryOut: () => T): Promise<T> {
    const { time, latency } = this.#world
    const { weather } = this
    const pause = () => new Promise<void>((resolve) => time.later(resolve, latency / 2))
    await pause()
    if (weather === 'refused') throw new Error('the cluster cannot be reached')
    const result = carryOut()
    await pause()
    if (this.late > 0) await new Promise<void>((resolve) => time.later(resolve, this.late))
    if (weather === 'hang') return await new Promise(() => {})
    await new Promise<void>((resolve) => this.#deliver(resolve))
    if (weather === 'lost') throw new Error('the connection was cut')
    return result
  }
}

/** One replica, which leads. */
export async function aLeader(options?: ReplicaOptions) {
  const world = new FakeReplicas()
  const leader = world.replica(options)
  await leader.start()
  return { world, leader }
}

/** Two replicas of which the first leads. */
export async function aPair(options?: ReplicaOptions) {
  const { world, leader } = await aLeader(options)
  const standby = world.replica()
  await standby.start()
  return { world, leader, standby }
}
