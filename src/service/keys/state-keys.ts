import { LRUCache } from 'lru-cache'
import { Keyring } from '../../domain/workload/tag.ts'
import type { Workload } from '../../domain/workload/workload.ts'
import type { SecretStore, StoredSecret } from '../../kubernetes/ports.ts'
import {
  LONGEST_SLEEP,
  systemLater,
  systemMonotonic,
  type Clock,
  type Instant,
  type Later,
  type Monotonic,
} from '../../process/clock.ts'
import { Refusal } from '../../process/errors.ts'
import { hmacSha256 } from '../../process/hmac.ts'
import type { Logger } from '../../process/logger.ts'
import type { Runnable } from '../../process/runnable.ts'
import { unlessAborted } from '../../process/unless-aborted.ts'
import { fromKeyData, type KeyData } from './key-data.ts'

interface StateKeysOptions {
  readonly source: Pick<SecretStore, 'read' | 'watch'>
  readonly clock: Clock
  readonly logger: Logger
  readonly later?: Later
  readonly monotonic?: Monotonic
}

type Annotated = Pick<Workload, 'annotations'>

/** Milliseconds between two reads of the Secret: anybody may write tags that name keys which do not exist. */
const READ_EVERY = 1000
/** Milliseconds: a review has less than 3 s. */
const LONGEST_SEARCH = 1500
/** Milliseconds that the start waits for the first read; then it goes on, and what it reads later counts. */
const LONGEST_START = 30_000
/** Names of absent keys that are remembered. */
const MOST_ABSENT = 1000

const NONE: KeyData = { keys: [], adopting: false }

/**
 * The keys of states as this replica knows them: it reads and watches their Secret, and reads it again where a tag names
 * a key that it does not know. Keys that it knows outlast their Secret, so that losing that loses nothing while one
 * replica runs.
 */
export class StateKeys implements Runnable {
  readonly name = 'state keys'
  readonly #options: StateKeysOptions
  readonly #later: Later
  readonly #monotonic: Monotonic
  readonly #stopping = new AbortController()
  readonly #listeners = new Set<() => void>()
  readonly #absent = new LRUCache<string, true>({ max: MOST_ABSENT })
  readonly #asked = new Set<string>()
  #data = NONE
  #isLost = true
  #keyring: Keyring
  /** When the keyring changes by time alone. */
  #changesAt = Number.POSITIVE_INFINITY
  #disarm: (() => void) | undefined
  #readAt = Number.NEGATIVE_INFINITY
  #isDoubted = false
  #round = Promise.withResolvers<void>()
  #searching: Promise<void> | undefined
  #watching: Promise<void> | undefined

  constructor(options: StateKeysOptions) {
    const { later = systemLater, monotonic = systemMonotonic } = options
    this.#options = options
    this.#later = later
    this.#monotonic = monotonic
    this.#keyring = this.#made()
  }

  /** Resolves once the Secret was read, or cannot be read for long. */
  async start(): Promise<void> {
    const { source, logger } = this.#options
    const { signal } = this.#stopping
    this.#watching = source.watch((secret) => this.learn(secret), signal)
    const patience = AbortSignal.any([signal, AbortSignal.timeout(LONGEST_START)])
    for (let isFirst = true; !patience.aborted; isFirst = false) {
      try {
        return this.learn(await source.read())
      } catch (err) {
        // Without the right it will not get better: what the watch brings later counts then.
        if (err instanceof Refusal && err.code === 'CLUSTER_REJECTED') break
        if (isFirst) logger.warn({ err }, 'the keys of states cannot be read yet')
        await this.#pause(READ_EVERY)
      }
    }
    if (!signal.aborted)
      logger.error(
        'the keys of states cannot be read, so states are neither signed nor verified until they can',
      )
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    this.#disarm?.()
    await Promise.all([this.#watching, this.#searching])
  }

  /** The keys as they are now. */
  get keyring(): Keyring {
    if (this.#options.clock() >= this.#changesAt) {
      // The timer is due as well, and tells the listeners.
      this.#changesAt = Number.POSITIVE_INFINITY
      this.#keyring = this.#made()
    }
    return this.#keyring
  }

  get data(): KeyData {
    return this.#data
  }

  /** Whether the Secret had no key when it was last read. */
  get isLost(): boolean {
    return this.#isLost
  }

  onChange(listener: () => void): void {
    this.#listeners.add(listener)
  }

  /** The Secret as it is now; undefined: there is none. */
  learn(secret: Pick<StoredSecret, 'data'> | undefined): void {
    const { logger } = this.#options
    const found = fromKeyData(secret?.data ?? {})
    const wasLost = this.#isLost
    this.#isLost = found.keys.length === 0
    if (this.#isLost) {
      if (this.#data.keys.length > 0 && !wasLost) logger.warn('the Secret of the keys of states was lost')
      if (!wasLost) this.#tell()
      return
    }
    if (!wasLost && JSON.stringify(found) === JSON.stringify(this.#data)) return
    this.#data = found
    this.#renew()
    this.#tell()
  }

  /** Looks for a key that a tag names and that is not known, and tells the listeners once it was looked for. */
  want(workload: Annotated): void {
    const name = this.keyring.unknownKey(workload)
    if (name === undefined || this.#stopping.signal.aborted) return
    this.#asked.add(name)
    this.#searching ??= this.#search()
  }

  /** Reads the Secret again: the cluster was restored, and it may be older than what is known. */
  doubt(): void {
    this.#isDoubted = true
    this.#searching ??= this.#search()
  }

  /** Resolves once the keys that its tags name are known, or known to be absent. @throws after a second and a half */
  async lookFor(workload: Annotated): Promise<void> {
    if (this.keyring.unknownKey(workload) === undefined) return
    const signal = AbortSignal.any([this.#stopping.signal, AbortSignal.timeout(LONGEST_SEARCH)])
    while (this.keyring.unknownKey(workload) !== undefined) {
      this.want(workload)
      await unlessAborted(signal, this.#round.promise)
    }
  }

  /** One read at a time answers all who asked before it began. */
  async #search(): Promise<void> {
    const { source, logger } = this.#options
    while ((this.#asked.size > 0 || this.#isDoubted) && !this.#stopping.signal.aborted) {
      await this.#pause(this.#readAt + READ_EVERY - this.#monotonic())
      const names = [...this.#asked]
      this.#readAt = this.#monotonic()
      try {
        const secret = await source.read()
        this.#isDoubted = false
        for (const name of names) {
          this.#asked.delete(name)
          this.#absent.set(name, true)
        }
        const before = this.#keyring
        this.learn(secret)
        // All that was learnt is told already, with the names that are absent.
        if (this.#keyring === before) {
          this.#renew()
          this.#tell()
        }
        this.#round.resolve()
        this.#round = Promise.withResolvers()
      } catch (err) {
        logger.warn({ err }, 'the keys of states cannot be read again yet')
      }
    }
    this.#searching = undefined
  }

  #renew(): void {
    this.#keyring = this.#made()
    const now = this.#options.clock()
    this.#changesAt = Math.min(...this.#data.keys.map(({ from }) => (from > now ? from : Infinity)))
    this.#arm(this.#changesAt)
  }

  #arm(at: Instant): void {
    this.#disarm?.()
    this.#disarm = undefined
    if (at === Number.POSITIVE_INFINITY) return
    const { clock } = this.#options
    const onTime = () => (clock() < at ? this.#arm(at) : this.#onTime())
    this.#disarm = this.#later(onTime, Math.min(Math.max(0, at - clock()), LONGEST_SLEEP))
  }

  #onTime(): void {
    this.#renew()
    this.#tell()
  }

  #made(): Keyring {
    const { keys, adopting } = this.#data
    const now = this.#options.clock()
    const signing = keys.find(({ from }) => from <= now) ?? keys.at(-1)
    return new Keyring({
      secrets: keys.map(({ secret }) => secret),
      hmac: hmacSha256,
      signing: signing?.secret,
      adopts: adopting,
      absent: new Set(this.#absent.keys()),
    })
  }

  #tell(): void {
    for (const listener of this.#listeners) listener()
  }

  async #pause(milliseconds: number): Promise<void> {
    if (milliseconds <= 0) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const disarm = this.#later(resolve, milliseconds)
    await unlessAborted(this.#stopping.signal, promise).catch(disarm)
  }
}
