import { systemLater, systemMonotonic, type Later, type Monotonic } from '../../process/clock.ts'
import { messageOf } from '../../process/errors.ts'
import { Lifecycle } from '../../process/lifecycle.ts'
import type { Logger } from '../../process/logger.ts'
import type { Runnable } from '../../process/runnable.ts'
import { LeaseCandidate, type Attempt, type CandidateOptions } from './lease-candidate.ts'
import type { LeadershipObserver } from './ports.ts'
import { releasedText } from '../../domain/deciding/released.ts'
import { Sleeper, within } from './waiting.ts'

export interface LeaderElectionOptions extends Omit<CandidateOptions, 'now' | 'force'> {
  /** Milliseconds, less than `leaseDuration`, that a leader acts after its last renewal; the difference is for stopping. */
  readonly renewDeadline: number
  /** Milliseconds between renewals. */
  readonly retryPeriod: number
  readonly logger: Logger
  /** Started in order when this replica acquires the Lease, stopped in reverse when it loses or releases it. */
  readonly leading: readonly Runnable[]
  readonly observer: LeadershipObserver
  /** Take the Lease from a live holder, and wait until that one can no longer act. */
  readonly force?: boolean
  /** Default: the system's timeouts. */
  readonly later?: Later
  /** Default: the system's. */
  readonly now?: Monotonic
}

type Held = Attempt & { held: true }

/** Why a leadership ended: we were stopped, the Lease was lost, or a leading part failed to start. */
type End = 'stopped' | 'lost' | 'failed'

/**
 * Lets at most one of several replicas run its leading parts, by a Lease with Kubernetes' own semantics (client-go,
 * `tools/leaderelection`). A leader that could not renew for `renewDeadline` stops its parts; they must have stopped
 * before `leaseDuration` is over, when another replica begins.
 */
export class LeaderElection implements Runnable {
  readonly name = 'leader election'
  readonly #options: LeaderElectionOptions
  readonly #later: Later
  readonly #now: Monotonic
  readonly #candidate: LeaseCandidate
  readonly #sleeper: Sleeper
  #stopping = new AbortController()
  #running: Promise<void> | undefined
  /** The last message that was logged: it is not repeated while nothing changes. */
  #logged: string | undefined
  /** Until when this replica may act, by its last renewal; monotonic. */
  #deadline = -Infinity

  constructor(options: LeaderElectionOptions) {
    const { later = systemLater, now = systemMonotonic, force = false } = options
    this.#options = options
    this.#later = later
    this.#now = now
    this.#candidate = new LeaseCandidate({ ...options, now, force })
    this.#sleeper = new Sleeper(later)
  }

  /**
   * Whether this replica may act right now. A process that was suspended detects here, before any timer, that its time
   * is over.
   */
  get leads(): boolean {
    return this.#now() < this.#deadline
  }

  /** Resolves when the first attempt is over; if it acquired the Lease, once the leading parts have started. Never rejects. */
  async start(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#stopping = new AbortController()
    this.#running = this.#run(resolve)
    await promise
  }

  /** Stops the leading parts, then releases the Lease. */
  async stop(): Promise<void> {
    await this.#end()
    await this.#release()
  }

  /**
   * As `stop`, and marks the Lease: the cluster was released by this person or account, so nobody leads until that is
   * undone. Whether the mark was written.
   */
  async stopReleased(by: string): Promise<boolean> {
    await this.#end()
    return this.#release(by)
  }

  async #end(): Promise<void> {
    this.#stopping.abort()
    this.#sleeper.wake()
    await this.#running
  }

  async #run(settled: () => void): Promise<void> {
    const { renewDeadline, retryPeriod } = this.#options
    const stopping = this.#stopping.signal
    while (!stopping.aborted) {
      const attempt = await this.#attempt(renewDeadline / 2, stopping)
      if (attempt) this.#options.observer.released?.(attempt.held ? undefined : attempt.released)
      if (attempt?.held) {
        const end = await this.#lead(attempt, settled)
        if (end !== 'failed') continue
        await this.#release()
        await this.#sleeper.sleep(retryPeriod)
      } else {
        if (attempt) this.#logStandby(attempt)
        settled()
        // Twice as often as a leader renews, because a change detected late is a Lease acquired late.
        const left = attempt ? attempt.expiresAt - this.#now() : 0
        await this.#sleeper.sleep(left > 0 ? Math.min(left, retryPeriod / 2) : retryPeriod / 2)
      }
    }
    settled()
  }

  /** Runs the leading parts, and renews the Lease until they have stopped. */
  async #lead({ since, taken }: Held, settled: () => void): Promise<End> {
    const { renewDeadline, retryPeriod, observer, leading } = this.#options
    this.#deadline = since + renewDeadline
    if (!this.leads) return 'lost'
    this.#log('info', 'this replica leads')
    observer.lead(true)
    const parts = this.#lifecycleOf(taken ? [this.#waitFor(taken), ...leading] : leading)
    const stopParts = () => parts.stop().catch(() => {})
    const over = new AbortController()
    let end: End | undefined
    const ended = () => {
      over.abort()
      this.#sleeper.wake()
    }
    parts.start().then(settled, () => {
      if (end) return
      end = 'failed'
      ended()
    })
    while (end !== 'lost') {
      await this.#sleeper.sleep(Math.min(retryPeriod, this.#deadline - this.#now()))
      if (over.signal.aborted) break
      if (!this.leads) {
        end = 'lost'
        this.#log('warn', 'this replica leads no longer: the Lease was not renewed in time')
      } else if (!end && this.#stopping.signal.aborted) {
        end = 'stopped'
        void stopParts().then(ended)
      } else {
        const left = this.#deadline - this.#now()
        const renewal = await this.#attempt(Math.min(renewDeadline / 2, left), over.signal)
        if (renewal?.held) this.#deadline = renewal.since + renewDeadline
        else if (renewal) {
          end = 'lost'
          this.#deadline = -Infinity
          const isGone = renewal.expiresAt === Infinity && !renewal.released
          const why = isGone ? 'is gone' : 'was taken from it'
          this.#log('warn', `this replica leads no longer: the Lease ${why}`, { holder: renewal.holder })
        }
      }
    }
    await stopParts()
    this.#deadline = -Infinity
    observer.lead(false)
    return end ?? 'stopped'
  }

  #lifecycleOf(parts: readonly Runnable[]): Lifecycle {
    return new Lifecycle(parts, ({ name }, call, err) =>
      this.#options.logger.error({ part: name, err }, `a part that only the leader runs failed to ${call}`),
    )
  }

  /** undefined: there was no answer in time, or a refusal. */
  async #attempt(milliseconds: number, signal: AbortSignal): Promise<Attempt | undefined> {
    try {
      const attempt = await within(this.#later, milliseconds, signal, (bounded) =>
        this.#candidate.tryAcquireOrRenew(bounded),
      )
      if (attempt.held) this.#logged = undefined
      return attempt
    } catch (error) {
      if (!signal.aborted) this.#log('warn', `the Lease could not be read or written: ${messageOf(error)}`)
      return undefined
    }
  }

  async #release(markedBy?: string): Promise<boolean> {
    try {
      const { signal } = new AbortController()
      return await within(this.#later, this.#options.retryPeriod, signal, (bounded) =>
        this.#candidate.release(bounded, markedBy),
      )
    } catch (error) {
      this.#log(
        'warn',
        `the Lease could not be released, so other replicas wait until it expires: ${messageOf(error)}`,
      )
      return false
    }
  }

  #logStandby({ holder, expiresAt, released }: Attempt & { held: false }): void {
    if (released) {
      this.#log('warn', `${releasedText(released)} until \`dormouse release --undo\``)
    } else if (expiresAt === Infinity) {
      this.#log(
        'warn',
        'there is no Lease, so no replica leads; in a cluster the chart creates it, not Dormouse',
      )
    } else if (holder) this.#log('info', `this replica stands by: ${holder} leads`)
  }

  /** The part that comes before all others when the Lease was taken from a live holder: it lets that one stop. */
  #waitFor({ from, until }: NonNullable<Held['taken']>): Runnable {
    const waited = Promise.withResolvers<void>()
    let disarm = () => {}
    return {
      name: 'wait for the former leader',
      start: () => {
        const left = until - this.#now()
        this.#options.observer.leaseTaken?.(from, left)
        disarm = this.#later(waited.resolve, left)
        return waited.promise
      },
      stop: async () => {
        disarm()
        waited.resolve()
      },
    }
  }

  #log(level: 'info' | 'warn', message: string, fields: object = {}): void {
    if (message === this.#logged) return
    this.#logged = message
    this.#options.logger[level]({ identity: this.#options.identity, ...fields }, message)
  }
}
