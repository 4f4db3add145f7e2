import { LRUCache } from 'lru-cache'
import type { Clock, Instant } from '../clock.ts'
import type { Workload } from '../domain/workload.ts'
import type { Scaling } from './ports.ts'

/** Uids with their counts: each takes some 300 bytes. */
const MOST = 1000
/** Milliseconds from a review until the watch tells of what it let through, a slow cluster's included. */
const LASTS = 2 * 60_000

interface Seen {
  readonly at: Instant
  readonly manager: string | undefined
  /** undefined: several asked for the same, so nobody knows whose it was. */
  readonly by: string | undefined
}

/**
 * Who was let through to scale a sleeper: a review knows the user, what is written knows only what the client called
 * itself. Reviews are not authenticated, so two that name different users for one count name nobody.
 */
export class SeenScalings {
  readonly #clock: Clock
  readonly #seen = new LRUCache<string, Seen>({ max: MOST })

  constructor(clock: Clock) {
    this.#clock = clock
  }

  saw({ uid, replicas, by, manager }: Scaling): void {
    const key = keyOf(uid, replicas)
    const known = this.#seen.get(key)
    const doubtful = known && this.#isRecent(known) && known.by !== by
    this.#seen.set(key, { at: this.#clock(), manager, by: doubtful ? undefined : by })
  }

  /** Who scaled it to the count that it has, as history names users; undefined: this replica saw nobody. */
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
