import type { Workload } from '../../domain/workload/workload.ts'
import type { SecretStore } from '../../kubernetes/ports.ts'
import type { Clock, Instant, Later } from '../../process/clock.ts'
import { Companions } from '../../process/companions.ts'
import type { Logger } from '../../process/logger.ts'
import type { Runnable } from '../../process/runnable.ts'
import { fromKeyData, newKey, toKeyData, type KeyData } from './key-data.ts'
import type { StateKeys } from './state-keys.ts'

interface KeyKeeperOptions {
  readonly store: SecretStore
  readonly keys: StateKeys
  /** The workloads whose states this leader signs. */
  readonly workloads: () => Iterable<Workload>
  /** Whether its state is believed, and is still to be signed by the newest key. */
  readonly isToSign: (workload: Workload) => boolean
  /** Whether those are all that there are. */
  readonly isComplete: () => boolean
  /** The states of so many workloads are signed as they were found, since no key was there. */
  readonly adopted: (workloads: number) => void
  readonly clock: Clock
  readonly logger: Logger
  readonly later?: Later
}

/** Milliseconds. */
const LOOK_EVERY = 5000
/** Milliseconds after which what could not be signed is believed no longer. */
const LONGEST_ADOPTION = 10 * 60_000
/** Milliseconds after which no replica signs by an older key any more. */
const SETTLED = 60_000
const MOST_TRIES = 5

/**
 * The leader's care of the keys of states: makes the first one, ends the time in which it signs what it finds, and
 * removes an older key once no workload names it.
 */
export class KeyKeeper implements Runnable {
  readonly name = 'the keeper of state keys'
  readonly #options: KeyKeeperOptions
  readonly #loop: Companions
  #adoptingSince: Instant | undefined
  #isCounted = false

  constructor(options: KeyKeeperOptions) {
    this.#options = options
    this.#loop = new Companions({
      name: this.name,
      reconcile: (_, signal) => this.#look(signal),
      failed: (err) => {
        options.logger.warn({ err }, 'the Secret of the keys of states cannot be kept; trying again')
        return LOOK_EVERY
      },
      later: options.later,
    })
    options.keys.onChange(() => {
      if (options.keys.isLost) this.#loop.changed()
      else if (this.#lookAgain() !== undefined) this.#loop.changed(undefined, LOOK_EVERY)
    })
  }

  /** Resolves once there is a key, or none could be made; then it tries again. */
  async start(): Promise<void> {
    this.#adoptingSince = undefined
    this.#isCounted = false
    await this.#loop.start()
    this.#loop.changed()
    await this.#loop.idle()
  }

  async stop(): Promise<void> {
    await this.#loop.stop()
  }

  /** Milliseconds; undefined: nothing is to be done before the keys change. */
  #lookAgain(): number | undefined {
    const { data, isLost } = this.#options.keys
    return data.adopting || data.keys.length > 1 || isLost ? LOOK_EVERY : undefined
  }

  async #look(signal: AbortSignal): Promise<number | undefined> {
    await this.#change(signal)
    return this.#lookAgain()
  }

  /** Changes the Secret until nothing is left to do; another replica, or a person who renews, may write meanwhile. */
  async #change(signal: AbortSignal): Promise<void> {
    const { store, keys } = this.#options
    for (let tries = 0; tries < MOST_TRIES && !signal.aborted; tries++) {
      const secret = await store.read()
      keys.learn(secret)
      const wanted = this.#due(fromKeyData(secret?.data ?? {}))
      if (!wanted || signal.aborted) return
      const data = toKeyData(wanted)
      const written = await (secret ? store.update(data, secret.resourceVersion) : store.create(data))
      if (written !== 'conflict') keys.learn(written)
    }
  }

  /** undefined: the Secret is as it should be for now. */
  #due(found: KeyData): KeyData | undefined {
    const { keys, clock, logger } = this.#options
    if (found.keys.length === 0) {
      if (keys.data.keys.length > 0) {
        logger.warn('the Secret of the keys of states was lost: writing back the keys that are known')
        return keys.data
      }
      logger.info('made the first key of states')
      return { keys: [newKey(clock())], adopting: true }
    }
    return found.adopting ? this.#afterAdoption(found) : this.#withoutUnused(found)
  }

  #afterAdoption(found: KeyData): KeyData | undefined {
    const { workloads, isToSign, isComplete, adopted, clock } = this.#options
    const since = (this.#adoptingSince ??= clock())
    const isOver = clock() - since > LONGEST_ADOPTION
    if (!isComplete() && !isOver) return undefined
    const left = Iterator.from(workloads()).reduce((sum, each) => sum + Number(isToSign(each)), 0)
    if (!this.#isCounted && left > 0) {
      this.#isCounted = true
      adopted(left)
    }
    return left === 0 || isOver ? { ...found, adopting: false } : undefined
  }

  /** Without the keys that sign no more and that no workload names. */
  #withoutUnused(found: KeyData): KeyData | undefined {
    const { workloads, isComplete, clock, keys, logger } = this.#options
    const signing = found.keys.findIndex(({ from }) => from + SETTLED <= clock())
    const older = found.keys.slice(signing + 1)
    if (signing === -1 || older.length === 0 || !isComplete()) return undefined
    const { keyring } = keys
    const named = older.filter(({ secret }) => keyring.names(workloads(), secret))
    if (named.length === older.length) return undefined
    logger.info({ removed: older.length - named.length }, 'removed keys of states that no workload names')
    return { ...found, keys: [...found.keys.slice(0, signing + 1), ...named] }
  }
}
