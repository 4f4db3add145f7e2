import type { Clock, Monotonic } from '../../process/clock.ts'
import type { Lease, LeaseRecord, LeaseStore } from '../../kubernetes/ports.ts'
import type { Released } from '../../domain/deciding/released.ts'
import { markedRecord, releasedIn } from './release-mark.ts'

/** How an attempt to acquire or renew ended; instants are monotonic milliseconds. */
export type Attempt =
  | {
      readonly held: true
      /** When the attempt began: for other candidates the lease runs from then, or from later. */
      readonly since: number
      /** It was taken from a live holder, which may act until then. */
      readonly taken?: { readonly from: string; readonly until: number }
    }
  | {
      readonly held: false
      /** undefined: the Lease does not exist, or has no holder. */
      readonly holder: string | undefined
      /** When it expires unless it is renewed; Infinity: `released`, or there is no Lease, and we may not create one. */
      readonly expiresAt: number
      /** Somebody released the cluster, so no replica leads. */
      readonly released?: Released
    }

export interface CandidateOptions {
  readonly lease: LeaseStore
  /** Unique to each process, never used again: a host's name and a random part. */
  readonly identity: string
  /** Milliseconds, whole seconds: other candidates wait so long after they last saw the holder renew. */
  readonly leaseDuration: number
  readonly clock: Clock
  readonly now: Monotonic
  /** Acquire the Lease from a live holder, too, but only as long as we never held it; and from a release at any time. */
  readonly force: boolean
}

/** The duration that a holder writes when it releases the Lease, as client-go does. */
const RELEASED_SECONDS = 1
/** The longest duration that can be configured: a longer one was written by hand. */
const LONGEST_DURATION_MS = 3_600_000
/** Replicas that do not know the mark of a release wait at most that duration from its last renewal. */
const MARK_RENEWED_MS = LONGEST_DURATION_MS / 6
/** How often one attempt reads and writes again when another candidate wrote in between. */
const ROUNDS = 3

/**
 * One candidate for the Lease, by the rules of client-go (`tools/leaderelection`). The clocks of two candidates are
 * never compared: another's lease expires its duration after this candidate saw its record change.
 */
export class LeaseCandidate {
  readonly #options: CandidateOptions
  /** The Lease as this candidate wrote it last. */
  #own: Lease | undefined
  /** The record that we wrote last, to distinguish ours from one that somebody edited our name into. */
  #acquireTime: string | undefined
  /** Until we hold the Lease for the first time; otherwise two candidates would take it from each other forever. */
  #mayForce: boolean
  #observed: { readonly text: string; readonly expiresAt: number } | undefined
  /** The mark of a release as it was seen last, and when we renew it. */
  #mark: { readonly since: string | undefined; readonly text: string; readonly renewAt: number } | undefined

  constructor(options: CandidateOptions) {
    this.#options = options
    this.#mayForce = options.force
  }

  /** Renews the Lease if we hold it, and acquires it if it has expired or was released. Rejects as the store does. */
  async tryAcquireOrRenew(signal: AbortSignal): Promise<Attempt> {
    const { lease: store, now } = this.#options
    for (let round = 0; round < ROUNDS; round++) {
      const lease = this.#own ?? (await store.read(signal))
      signal.throwIfAborted()
      if (!lease && !store.creatable) return { held: false, holder: undefined, expiresAt: Infinity }
      const released = lease && releasedIn(lease.record)
      if (lease && released && !this.#options.force) {
        await this.#renewMark(lease, signal)
        return { held: false, holder: lease.record.holder, expiresAt: Infinity, released }
      }
      this.#mark = undefined
      const renews = lease !== undefined && this.#isOurs(lease.record)
      const expiresAt = renews || released ? -Infinity : this.#observe(lease?.record)
      const isLive = expiresAt > now()
      if (isLive && !this.#mayForce) return { held: false, holder: lease?.record.holder, expiresAt }
      const since = now()
      const record = this.#nextRecord(lease?.record, renews)
      const written = lease ? await lease.update(record, signal) : await store.create(record, signal)
      signal.throwIfAborted()
      this.#own = written
      if (!written) continue
      this.#mayForce = false
      if (!isLive) return { held: true, since }
      const until = now() + this.#durationOf(lease?.record)
      return { held: true, since, taken: { from: lease?.record.holder ?? '', until } }
    }
    return { held: false, holder: undefined, expiresAt: now() }
  }

  /**
   * Releases the Lease if we hold it, so that another candidate acquires it at once; with `markedBy`, the name of who
   * released the cluster, nobody acquires it until that is undone. Whether it was ours to release. Rejects as the
   * store does.
   */
  async release(signal: AbortSignal, markedBy?: string): Promise<boolean> {
    for (let round = 0; round < ROUNDS && this.#acquireTime !== undefined; round++) {
      const lease = this.#own ?? (await this.#options.lease.read(signal))
      this.#own = undefined
      if (!lease || !this.#isOurs(lease.record)) break
      const at = microTime(this.#options.clock())
      const { transitions } = lease.record
      const record =
        markedBy === undefined ? freeRecord(at, transitions) : markedRecord(markedBy, at, transitions)
      if (await lease.update(record, signal)) {
        this.#acquireTime = undefined
        return true
      }
    }
    this.#acquireTime = undefined
    return false
  }

  /**
   * Renews the mark when it is seen for the first time, which tells who released that we know it, and then often enough
   * for replicas that do not.
   */
  async #renewMark(lease: Lease, signal: AbortSignal): Promise<void> {
    const { record } = lease
    const [before, now] = [this.#mark, this.#options.now()]
    const seen = (renewed: LeaseRecord) => {
      const text = JSON.stringify(renewed)
      this.#mark = { since: renewed.acquireTime, text, renewAt: now + MARK_RENEWED_MS }
    }
    if (before && before.since === record.acquireTime) {
      if (before.text !== JSON.stringify(record)) return seen(record)
      if (now < before.renewAt) return
    }
    const renewed = { ...record, renewTime: microTime(this.#options.clock()) }
    if (await lease.update(renewed, signal)) seen(renewed)
  }

  #isOurs({ holder, acquireTime }: LeaseRecord): boolean {
    return holder === this.#options.identity && acquireTime !== undefined && acquireTime === this.#acquireTime
  }

  #nextRecord(before: LeaseRecord | undefined, renews: boolean): LeaseRecord {
    const { identity, leaseDuration, clock } = this.#options
    const renewTime = microTime(clock())
    const acquireTime = renews ? this.#acquireTime : renewTime
    this.#acquireTime = acquireTime
    const transitions = before?.transitions ?? 0
    return {
      holder: identity,
      durationSeconds: leaseDuration / 1000,
      acquireTime,
      renewTime,
      transitions: renews || !before || isUnused(before) ? transitions : transitions + 1,
    }
  }

  /** When a Lease that we do not hold expires: counted from the moment that we first saw this record. */
  #observe(record: LeaseRecord | undefined): number {
    const text = JSON.stringify(record) ?? ''
    if (text !== this.#observed?.text) this.#observed = { text, expiresAt: this.#expiryOf(record) }
    return this.#observed.expiresAt
  }

  #expiryOf(record: LeaseRecord | undefined): number {
    // Deleted or emptied by hand: its last holder may not have noticed yet.
    if (!record || isUnused(record)) return this.#observed?.expiresAt ?? -Infinity
    const released = record.holder === '' && record.durationSeconds === RELEASED_SECONDS
    return released ? -Infinity : this.#options.now() + this.#durationOf(record)
  }

  /** At least our own duration: other replicas count on it, whatever was edited into the Lease. */
  #durationOf(record: LeaseRecord | undefined): number {
    const written = (record?.durationSeconds ?? 0) * 1000
    return Math.min(Math.max(written, this.#options.leaseDuration), LONGEST_DURATION_MS)
  }
}

/** A Lease as the chart brings it, which was never held. */
function isUnused({ holder, durationSeconds, renewTime }: LeaseRecord): boolean {
  return holder === '' && durationSeconds === undefined && renewTime === undefined
}

/** The record that another candidate acquires at once; `at`: a MicroTime. */
function freeRecord(at: string, transitions: number): LeaseRecord {
  return { holder: '', durationSeconds: RELEASED_SECONDS, acquireTime: at, renewTime: at, transitions }
}

/**
 * Takes the mark of a release off the Lease, so that a replica leads at once. undefined: there is no mark. Rejects as
 * the store does, and where somebody else writes the Lease again and again.
 */
export async function undoRelease(
  store: LeaseStore,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<Released | undefined> {
  for (let round = 0; round < ROUNDS; round++) {
    const lease = await store.read(signal)
    const released = lease && releasedIn(lease.record)
    if (!lease || !released) return undefined
    if (await lease.update(freeRecord(microTime(clock()), lease.record.transitions), signal)) return released
  }
  throw new Error('the Lease was changed meanwhile: run this again')
}

/** A `meta/v1` MicroTime. */
function microTime(at: number): string {
  return new Date(at).toISOString().replace('Z', '000Z')
}
