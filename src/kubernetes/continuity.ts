import { compareVersions } from '../domain/workload/workload.ts'
import type { Standstill } from '../process/standstill.ts'
import { refusalOf, type ClusterRefusal } from './failures.ts'

/** Restoring a backup takes longer than this, in milliseconds. */
const AWAY_MS = 1000

/**
 * Knows whether a watch of a collection may go on where the last one ended. It may not where the cluster may have been
 * restored from a backup meanwhile, since it would send nothing up to our version: then a list comes first. Instants are
 * monotonic.
 */
export class Continuity {
  readonly #resource: string
  readonly #standstill: Pick<Standstill, 'since'>
  /** Version at which the next watch begins; undefined: list first. */
  #from: string | undefined
  /** The version of the latest list or event; outlives `#from`. */
  #newest = ''
  /** Whether the last list was older than the newest version received. */
  #wentBack = false
  /** Whether the present watch has had an event. */
  #heard = false
  /** When the last list began, the watch was connected, or its latest event came. */
  #heardAt = 0
  /** Whether a watch broke, or ended early, since the last list or event. */
  #interrupted = false
  /** Since when no watch is connected; undefined: one is connected, or none was since the last list. */
  #unwatchedSince: number | undefined
  /** Whether the cluster failed to answer since then. */
  #unanswered = false

  constructor(resource: string, standstill: Pick<Standstill, 'since'>) {
    this.#resource = resource
    this.#standstill = standstill
  }

  /** The version at which a watch may go on; undefined: a list comes first. */
  get from(): string | undefined {
    return this.#wasAway() || this.#stoodStill() ? undefined : this.#from
  }

  listBegins(): void {
    this.#heardAt = performance.now()
  }

  /**
   * Whether a list of this version is older than what we received before, so that the cluster was restored: two in a row
   * have to show it, since the first may come from a lagging server. @throws ClusterRefusal at the first
   */
  isRestored(version: string): boolean {
    const confirmed = this.#wentBack
    this.#wentBack = compareVersions(version, this.#newest) < 0
    if (this.#wentBack && !confirmed)
      throw this.#expired('list', 'the list is older than what is known; it is asked for again')
    return this.#wentBack
  }

  /** The list is complete. */
  listed(version: string): void {
    this.#from = version
    this.#newest = version
    this.#wentBack = false
    this.#interrupted = false
    this.#watched()
  }

  watchBegins(): void {
    this.#heard = false
  }

  /** @throws ClusterRefusal if this process stood still, which causes a new list */
  watchConnected(): void {
    this.#refuseStandstill()
    this.#heardAt = performance.now()
    this.#watched()
  }

  /** An event, or a bookmark, of this version. @throws ClusterRefusal if it causes a new list */
  event(type: string, version: string): void {
    this.#refuseStandstill()
    const isOlder = compareVersions(version, this.#newest) < 0
    // After a restore from a backup the server's bookmark has its own version, older than ours.
    if (type === 'BOOKMARK' && isOlder) throw this.#expired('watch', 'the bookmark is older than the list')
    this.#heard = true
    this.#heardAt = performance.now()
    this.#interrupted = false
  }

  /** The event was stored: the next watch begins after it. */
  stored(version: string): void {
    if (compareVersions(version, this.#newest) < 0) return
    this.#from = version
    this.#newest = version
  }

  watchEnded(): void {
    this.#unwatchedSince = performance.now()
    if (this.#stoodStill()) this.#from = undefined
  }

  /** The server ended the watch as usual. One that broke before, and then said nothing, may be of a restored cluster. */
  endedInTime(): void {
    if (this.#interrupted && !this.#heard) this.#from = undefined
  }

  endedEarly(): void {
    this.#interrupted = true
  }

  /**
   * A list or watch failed. `answered`: by a refusal; `isSilent`: a watch had no event in time; `relist`: the version
   * cannot be used any more. Whether a list comes next.
   */
  failed({ answered, isSilent, relist }: { answered: boolean; isSilent: boolean; relist: boolean }): boolean {
    this.#interrupted = true
    this.#unanswered ||= !answered
    // A watch without any event may have begun at a version that the cluster does not know.
    const lists = relist || (isSilent && !this.#heard)
    if (lists) this.#from = undefined
    return lists
  }

  #watched(): void {
    this.#unwatchedSince = undefined
    this.#unanswered = false
  }

  /**
   * Whether the cluster was away: while a backup is restored no API server runs. A server that answered with a refusal,
   * such as 429, was there, and a list is the most expensive call.
   */
  #wasAway(): boolean {
    const since = this.#unwatchedSince
    return this.#unanswered && since !== undefined && performance.now() - since > AWAY_MS
  }

  /** Whether this process was suspended since the last event: a backup may have been restored meanwhile, unnoticed. */
  #stoodStill(): boolean {
    return this.#standstill.since(this.#heardAt)
  }

  #refuseStandstill(): void {
    if (this.#stoodStill()) throw this.#expired('watch', 'this process stood still')
  }

  #expired(call: 'list' | 'watch', message: string): ClusterRefusal {
    return refusalOf(`${call} ${this.#resource}`, 410, { message })
  }
}
