import { systemLater, type Clock, type Later } from '../clock.ts'
import type { Logger } from '../logger.ts'
import type { Runnable } from '../runnable.ts'
import { LeaseClaim, type Standing } from './lease-claim.ts'
import type { LeadershipObserver, LeaseStore } from './ports.ts'
import { LeaderParts } from './leader-parts.ts'

export interface LeaderElectionOptions {
  readonly lease: LeaseStore
  /** One for each process, never used again: a host's name and a random part. */
  readonly identity: string
  /** Milliseconds, whole seconds: what others wait for after they last saw the holder renew. */
  readonly duration: number
  /** Milliseconds, less than `duration`: so long after its last renewal a leader acts; the rest is for stopping. */
  readonly renew: number
  /** Milliseconds between renewals. */
  readonly retry: number
  readonly clock: Clock
  readonly logger: Logger
  /** Started in order when leadership is won, stopped in reverse when it is lost or given up. */
  readonly leading: readonly Runnable[]
  readonly observer: LeadershipObserver
  /** Takes the Lease from a holder that is alive, and waits until that one has certainly noticed. */
  readonly seize?: boolean
  /** Default: the system's timeouts. */
  readonly later?: Later
  /** Monotonic milliseconds. */
  readonly now?: () => number
}

type End = 'stopped' | 'lost' | 'failed'

/**
 * Lets at most one of several replicas run its leading parts, by a Lease with Kubernetes' own semantics.
 * A leader that could not renew for `renew` stops them, so that they are at rest before `duration` is
 * over and another begins. Parts must stop within what lies between the two.
 */
export class LeaderElection implements Runnable {
  readonly name = 'leader election'
  readonly #options: LeaderElectionOptions
  readonly #later: Later
  readonly #now: () => number
  readonly #claim: LeaseClaim
  #stopping = new AbortController()
  #running: Promise<void> | undefined
  #interrupt = () => {}
  #woken = false
  /** What was logged last of how things stand: said once. */
  #said: string | undefined

  constructor(options: LeaderElectionOptions) {
    this.#options = options
    this.#later = options.later ?? systemLater
    this.#now = options.now ?? (() => performance.now())
    this.#claim = new LeaseClaim({ ...options, now: this.#now, seize: options.seize === true })
  }

  /** Resolves when the first attempt is over, and with the leading parts started if it won. Never rejects. */
  async start(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#stopping = new AbortController()
    this.#running = this.#run(resolve)
    await promise
  }

  /**
   * Stops the leading parts, holding the Lease until they have stopped; then gives it up, or leaves it held for
   * `keep` milliseconds, so that nobody acts meanwhile.
   */
  async stop(keep = 0): Promise<void> {
    this.#stopping.abort()
    this.#wake()
    await this.#running
    await this.#giveUp(keep)
  }

  async #run(settled: () => void): Promise<void> {
    const { renew, retry } = this.#options
    const stopping = this.#stopping.signal
    while (!stopping.aborted) {
      const standing = await this.#attempt(renew / 2, stopping)
      if (standing?.held) {
        const end = await this.#lead(standing, settled)
        if (end === 'failed') await this.#giveUp()
        await this.#sleep(end === 'failed' ? retry : 0)
      } else {
        if (standing) this.#standBy(standing)
        settled()
        // Twice as often as it is renewed: what is seen late is taken over late.
        const free = standing ? standing.freeAt - this.#now() : 0
        await this.#sleep(free > 0 ? Math.min(free, retry / 2) : retry / 2)
      }
    }
    settled()
  }

  async #lead(won: Standing & { held: true }, settled: () => void): Promise<End> {
    const { renew, retry, observer, logger, leading } = this.#options
    const parts = new LeaderParts(won.seized ? [this.#patience(won.seized), ...leading] : leading, logger)
    let deadline = won.since + renew
    let end: End | undefined
    if (this.#now() >= deadline) return 'lost'
    this.#say('info', 'this replica leads')
    observer.lead(true)
    void parts.begin().then(() => (parts.failed ? this.#wake() : settled()))
    while (end !== 'lost') {
      await this.#sleep(Math.min(retry, deadline - this.#now()))
      if (parts.over.aborted) break
      if (this.#now() >= deadline) {
        end = 'lost'
        this.#say('warn', 'this replica leads no longer: the Lease was not renewed in time')
      } else if (!end && (parts.failed || this.#stopping.signal.aborted)) {
        end = parts.failed ? 'failed' : 'stopped'
        void parts.end().then(() => this.#wake())
      } else {
        const renewed = await this.#attempt(Math.min(renew / 2, deadline - this.#now()), parts.over)
        if (renewed?.held) deadline = renewed.since + renew
        else if (renewed) {
          end = 'lost'
          const why = renewed.freeAt === Infinity ? 'is gone' : 'was taken from it'
          this.#say('warn', `this replica leads no longer: the Lease ${why}`, { holder: renewed.by })
        }
      }
    }
    await parts.end()
    observer.lead(false)
    return end ?? 'stopped'
  }

  /** undefined: there was no answer in time, or a refusal. */
  async #attempt(milliseconds: number, signal: AbortSignal): Promise<Standing | undefined> {
    try {
      const standing = await this.#within(milliseconds, signal, (bounded) => this.#claim.attempt(bounded))
      if (standing.held) this.#said = undefined
      return standing
    } catch (error) {
      if (!signal.aborted) this.#say('warn', `the Lease cannot be had: ${messageOf(error)}`)
      return undefined
    }
  }

  async #giveUp(keep = 0): Promise<void> {
    try {
      const { signal } = new AbortController()
      await this.#within(this.#options.retry, signal, (bounded) => this.#claim.giveUp(bounded, keep))
    } catch (error) {
      this.#say('warn', `the Lease could not be given up and has to run out: ${messageOf(error)}`)
    }
  }

  #standBy({ by, freeAt }: Standing & { held: false }): void {
    if (freeAt === Infinity) {
      this.#say('warn', 'there is no Lease, so nobody leads; it is not recreated: the chart brings it')
    } else if (by) this.#say('info', `this replica stands by: ${by} leads`)
  }

  #patience({ from, until }: { from: string; until: number }): Runnable {
    const waited = Promise.withResolvers<void>()
    let disarm = () => {}
    return {
      name: 'the former leader',
      start: () => {
        const left = until - this.#now()
        this.#options.observer.seized?.(from, left)
        disarm = this.#later(waited.resolve, left)
        return waited.promise
      },
      stop: () => {
        disarm()
        waited.resolve()
        return Promise.resolve()
      },
    }
  }

  /** Until then, or until it is woken; a wake that came before counts. */
  #sleep(milliseconds: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const disarm = this.#later(resolve, this.#woken ? 0 : Math.max(0, milliseconds))
    this.#interrupt = resolve
    this.#woken = false
    return promise.finally(disarm)
  }

  #wake(): void {
    this.#woken = true
    this.#interrupt()
  }

  /** Ends in time even where the task does not heed its signal. */
  async #within<T>(
    milliseconds: number,
    outer: AbortSignal,
    task: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const inner = new AbortController()
    const { promise, reject } = Promise.withResolvers<never>()
    const end = (why: string) => {
      const reason = new Error(why)
      inner.abort(reason)
      reject(reason)
    }
    const leave = () => end('it is not wanted any more')
    const disarm = this.#later(() => end('there was no answer in time'), milliseconds)
    outer.addEventListener('abort', leave, { once: true })
    try {
      outer.throwIfAborted()
      return await Promise.race([task(inner.signal), promise])
    } finally {
      disarm()
      outer.removeEventListener('abort', leave)
    }
  }

  #say(level: 'info' | 'warn', message: string, fields: object = {}): void {
    if (message === this.#said) return
    this.#said = message
    this.#options.logger[level]({ identity: this.#options.identity, ...fields }, message)
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
