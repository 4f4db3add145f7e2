import { LRUCache } from 'lru-cache'
import type { Clock, Instant } from '../../process/clock.ts'
import type { Workload } from '../../domain/workload/workload.ts'
import type { Scaling } from './ports.ts'

/** Entries of some 300 bytes. */
const MOST = 1000
/** Milliseconds from a review until the watch has brought the scaling, even in a slow cluster. */
const LASTS = 2 * 60_000

interface Seen {
  readonly at: Instant
  readonly manager: string | undefined
  /** undefined: several users set the same count, so it is unknown whose write succeeded. */
  readonly by: string | undefined
}

/**
 * Remembers who woke a sleeper by scaling it: the review names the user, the object that is written only the client.
 * Reviews are not authenticated: when two name different users for one count, neither counts.
 */
export class SeenScalings {
  readonly #clock: Clock
  readonly #seen = new LRUCache<string, Seen>({ max: MOST })

  constructor(clock: Clock) {
    this.#clock = clock
  }

  add({ uid, replicas, by, manager }: Scaling): void {
    const key = keyOf(uid, replicas)
    const known = this.#seen.get(key)
    const doubtful = known && this.#isRecent(known) && known.by !== by
    this.#seen.set(key, { at: this.#clock(), manager, by: doubtful ? undefined : by })
  }

  /** The user who scaled the workload to its count, as history names users; undefined: unknown to this replica. */
  scaledBy({ uid, replicas, replicasManager }: Workload): string | undefined {
    const seen = this.#seen.get(keyOf(uid, replicas))
    if (!seen || !this.#isRecent(seen)) return undefined
    return seen.manager === undefined || seen.manager === replicasManager?.manager ? seen.by : undefined
  }

  #isRecent({ at }: Seen): boolean {
    return Math.abs(this.#clock() - at) <= LASTS
  }
}

function keyOf(uid: string, replicas: number): string {
  return `${replicas} ${uid}`
}
