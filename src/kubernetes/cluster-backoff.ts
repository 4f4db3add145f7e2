import { retryDelay } from '../process/delay.ts'
import { ClusterRefusal, isOfWebhook } from './failures.ts'

/** Up to this many faults in a row may be chance. */
const TOLERATED = 20
const FIRST_PAUSE_MS = 100
/** Everything is to be caught up within 5 s of the cluster's return. */
const LONGEST_PAUSE_MS = 1000

/**
 * The pause between writes while the cluster answers each of them with a fault of its own (5xx), as while its etcd is
 * away. Each key has its own backoff, but thousands of keys together would use up the rate. Times are monotonic
 * milliseconds.
 */
export class ClusterBackoff {
  #faults = 0
  #pauses = 0
  #until = 0

  /** The cluster answered a write. */
  answered(): void {
    this.#faults = 0
    this.#pauses = 0
    this.#until = 0
  }

  /** A write failed at `now`; an error that does not come from the cluster is ignored. */
  failed(error: unknown, now: number): void {
    if (!(error instanceof ClusterRefusal) || error.status === 0) return
    if (error.status < 500 || isOfWebhook(error)) return this.answered()
    this.#faults++
    // Writes in flight together fail together, and count as one more fault.
    if (this.#faults < TOLERATED || now < this.#until) return
    this.#pauses++
    this.#until = now + retryDelay(this.#pauses, FIRST_PAUSE_MS, LONGEST_PAUSE_MS)
  }

  /** Milliseconds until a write may be sent. */
  wait(now: number): number {
    return Math.max(0, this.#until - now)
  }
}
