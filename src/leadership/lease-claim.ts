import type { Clock } from '../clock.ts'
import type { Lease, LeaseRecord, LeaseStore } from './ports.ts'

/** How an attempt to take or to renew went; instants are monotonic milliseconds. */
export type Standing =
  | {
      readonly held: true
      /** When it was asked for: for everybody else it is held for its duration from then, or longer. */
      readonly since: number
      /** It was taken from a holder that was alive: until when that one may still act. */
      readonly seized?: { readonly from: string; readonly until: number }
    }
  | {
      readonly held: false
      /** undefined: there is no Lease, or nobody can be named. */
      readonly by: string | undefined
      /** When it may be taken, if nothing changes; infinite: there is none to take. */
      readonly freeAt: number
    }

interface Options {
  readonly lease: LeaseStore
  /** One for each process, never used again. */
  readonly identity: string
  /** Milliseconds, whole seconds. */
  readonly duration: number
  readonly clock: Clock
  /** Monotonic milliseconds. */
  readonly now: () => number
  /** Does not wait until the holder that it finds is gone. */
  readonly seize: boolean
}

/** What a holder leaves when it gives up, as client-go's leader election does. */
const GIVEN_UP_SECONDS = 1
/** The longest duration that can be configured: what says more was written by hand. */
const LONGEST_MS = 3_600_000
const ROUNDS = 3

/**
 * One candidate's dealings with the Lease. The clocks of two candidates are never compared: another's
 * lease runs out so long after this one saw its record change (client-go, `tools/leaderelection`).
 */
export class LeaseClaim {
  readonly #options: Options
  /** As this candidate wrote it last. */
  #own: Lease | undefined
  /** Of the claim that was sent last: tells our record from one that somebody wrote our name into. */
  #acquireTime: string | undefined
  /** Once is enough, or two that seize would take it from each other for ever. */
  #mayOverrule: boolean
  #seen: { readonly text: string; readonly freeAt: number } | undefined

  constructor(options: Options) {
    this.#options = options
    this.#mayOverrule = options.seize
  }

  /** Takes the Lease if it is free, and renews it if it is ours. Rejects as the store does. */
  async attempt(signal: AbortSignal): Promise<Standing> {
    const { lease: store, now } = this.#options
    for (let round = 0; round < ROUNDS; round++) {
      const lease = this.#own ?? (await store.read(signal))
      signal.throwIfAborted()
      if (!lease && !store.creatable) return { held: false, by: undefined, freeAt: Infinity }
      const mine = lease !== undefined && this.#isMine(lease.record)
      const freeAt = mine ? -Infinity : this.#observe(lease?.record)
      const seized = freeAt > now()
      if (seized && !this.#mayOverrule) return { held: false, by: lease?.record.holder, freeAt }
      const since = now()
      const record = this.#claim(lease?.record, mine)
      const written = lease ? await lease.update(record, signal) : await store.create(record, signal)
      signal.throwIfAborted()
      this.#own = written
      if (!written) continue
      if (!seized) return { held: true, since }
      this.#mayOverrule = false
      const until = now() + this.#durationOf(lease?.record)
      return { held: true, since, seized: { from: lease?.record.holder ?? '', until } }
    }
    return { held: false, by: undefined, freeAt: now() }
  }

  /**
   * Empties the Lease if it is ours, so that another takes it at once; with `keep`, in milliseconds, another has to
   * wait so long. Rejects as the store does.
   */
  async giveUp(signal: AbortSignal, keep = 0): Promise<void> {
    for (let round = 0; round < ROUNDS && this.#acquireTime !== undefined; round++) {
      const lease = this.#own ?? (await this.#options.lease.read(signal))
      this.#own = undefined
      if (!lease || !this.#isMine(lease.record)) break
      const at = microTime(this.#options.clock())
      const { transitions, holder } = lease.record
      const record = {
        holder: keep > 0 ? holder : '',
        durationSeconds: keep > 0 ? Math.ceil(keep / 1000) : GIVEN_UP_SECONDS,
        acquireTime: at,
        renewTime: at,
        transitions,
      }
      if (await lease.update(record, signal)) break
    }
    this.#acquireTime = undefined
  }

  #isMine({ holder, acquireTime }: LeaseRecord): boolean {
    return holder === this.#options.identity && acquireTime !== undefined && acquireTime === this.#acquireTime
  }

  #claim(before: LeaseRecord | undefined, mine: boolean): LeaseRecord {
    const { identity, duration, clock } = this.#options
    const renewTime = microTime(clock())
    const acquireTime = mine ? this.#acquireTime : renewTime
    this.#acquireTime = acquireTime
    const transitions = before?.transitions ?? 0
    return {
      holder: identity,
      durationSeconds: duration / 1000,
      acquireTime,
      renewTime,
      transitions: mine || !before || isUnused(before) ? transitions : transitions + 1,
    }
  }

  /** When what is not ours may be taken. */
  #observe(record: LeaseRecord | undefined): number {
    const text = JSON.stringify(record) ?? ''
    if (text !== this.#seen?.text) this.#seen = { text, freeAt: this.#freeAt(record) }
    return this.#seen.freeAt
  }

  #freeAt(record: LeaseRecord | undefined): number {
    // Deleted or emptied by hand: whoever held it may not know yet.
    if (!record || isUnused(record)) return this.#seen?.freeAt ?? -Infinity
    const givenUp = record.holder === '' && record.durationSeconds === GIVEN_UP_SECONDS
    return givenUp ? -Infinity : this.#options.now() + this.#durationOf(record)
  }

  /** At least our own: a replica of the same Dormouse has promised no less, whatever was edited. */
  #durationOf(record: LeaseRecord | undefined): number {
    const said = (record?.durationSeconds ?? 0) * 1000
    return Math.min(Math.max(said, this.#options.duration), LONGEST_MS)
  }
}

/** As the chart brings it: nobody ever held it. */
function isUnused({ holder, durationSeconds, renewTime }: LeaseRecord): boolean {
  return holder === '' && durationSeconds === undefined && renewTime === undefined
}

/** A `meta/v1` MicroTime. */
function microTime(at: number): string {
  return new Date(at).toISOString().replace('Z', '000Z')
}
