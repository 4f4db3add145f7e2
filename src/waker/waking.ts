import type { Socket } from 'node:net'
import type { Clock } from '../process/clock.ts'
import { retryDelay, type Delay } from '../process/delay.ts'
import { dialReady } from './dial.ts'
import { NotJoined } from './not-joined.ts'
import { serviceOf } from './places.ts'
import type { FollowEndpoints, Knocking, ReadyEndpoints, ClaimedPort } from './ports.ts'

/**
 * Milliseconds: while connections wait, it is asked so often whether it still wakes, and where it is not known to wake:
 * what Dormouse answered may be from a moment before it slept.
 */
const AGAIN = { waking: 10_000, other: 1000 }
/** Milliseconds: the first and the longest pause after a knock that failed. */
const PAUSES = [250, 5000] as const
/** Seconds that a client is to wait at most before it tries again. */
const LONGEST_RETRY_AFTER = 3600

interface Options {
  readonly follow: FollowEndpoints
  readonly knocking: (port: ClaimedPort) => Knocking
  readonly clock: Clock
  readonly delay: Delay
}

interface Waking {
  readonly endpoints: ReadyEndpoints
  readonly ended: AbortController
  /** Rejects once Dormouse says that it does not wake. */
  readonly refused: Promise<never>
  waiting: number
}

/** The Services that connections wait for: each is woken and watched once, from its first connection to its last. */
export class Wakings {
  readonly #options: Options
  readonly #all = new Map<string, Waking>()

  constructor(options: Options) {
    this.#options = options
  }

  /** How many Services are waited for. */
  get size(): number {
    return this.#all.size
  }

  /** A connection to a pod of this port. @throws NotJoined when it does not wake, or the signal's reason */
  async connected(port: ClaimedPort, signal: AbortSignal): Promise<Socket> {
    const waking = this.#all.get(serviceOf(port)) ?? this.#begin(port)
    waking.waiting++
    const decided = new AbortController()
    const dialling = dialReady(
      waking.endpoints,
      port.port,
      this.#options.delay,
      AbortSignal.any([signal, decided.signal]),
    )
    try {
      return await Promise.race([dialling, waking.refused])
    } catch (error) {
      // It may have connected at that very moment.
      dialling.then(
        (socket) => socket.destroy(),
        () => {},
      )
      throw error
    } finally {
      decided.abort()
      if (--waking.waiting === 0) this.#end(port, waking)
    }
  }

  #begin(port: ClaimedPort): Waking {
    const { follow, knocking } = this.#options
    const ended = new AbortController()
    const { promise: refused, reject } = Promise.withResolvers<never>()
    refused.catch(() => {})
    const waking: Waking = { endpoints: follow(port), ended, refused, waiting: 0 }
    this.#all.set(serviceOf(port), waking)
    this.#ask(knocking(port), waking)
      .then((refusal) => {
        // Those who come from now on ask anew.
        if (this.#all.get(serviceOf(port)) === waking) this.#all.delete(serviceOf(port))
        return reject(refusal)
      })
      .catch(() => {})
    return waking
  }

  #end(port: ClaimedPort, { endpoints, ended }: Waking): void {
    ended.abort()
    endpoints.close()
    if (this.#all.get(serviceOf(port))?.ended === ended) this.#all.delete(serviceOf(port))
  }

  /** Resolves once it does not wake, and no pod is ready. @throws the signal's reason */
  async #ask(knocking: Knocking, { endpoints, ended: { signal } }: Waking): Promise<NotJoined> {
    const { delay, clock } = this.#options
    for (let failures = 0; ;) {
      const answer = await knocking.wake()
      signal.throwIfAborted()
      if (answer?.state === 'held' || answer?.state === 'off') {
        await endpoints.listed
        const until = answer.until === null ? Number.NaN : Date.parse(answer.until)
        if (!endpoints.isReady) return new NotJoined(answer.state, secondsTo(until, clock()))
      }
      failures = answer ? 0 : failures + 1
      const again = answer?.state === 'waking' ? AGAIN.waking : AGAIN.other
      await delay(answer ? again : retryDelay(failures, ...PAUSES), signal)
    }
  }
}

function secondsTo(until: number, now: number): number {
  const seconds = Math.ceil((until - now) / 1000)
  return Number.isNaN(seconds) ? 60 : Math.min(Math.max(seconds, 1), LONGEST_RETRY_AFTER)
}
