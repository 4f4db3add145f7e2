import { retryDelay } from './delay.ts'
import { ClusterRefusal, isOfWebhook } from './failures.ts'

/** So many faults in a row may be chance. */
const TOLERATED = 20
const FIRST_REST_MS = 100
/** Everything is to be caught up within 5 s of the cluster's return. */
const LONGEST_REST_MS = 1000

/**
 * How long writes rest while the cluster answers each of them by a fault of its own (5xx), as while its etcd is away.
 * Each key has its backoff, but thousands of keys together would ask for as much as the rate allows. Times are
 * monotonic milliseconds.
 */
export class Setback {
  #faults = 0
  #rests = 0
  #until = 0

  /** A write was answered. */
  answered(): void {
    this.#faults = 0
    this.#rests = 0
    this.#until = 0
  }

  /** A write has failed at `now`; an error that is not the cluster's says nothing. */
  failed(error: unknown, now: number): void {
    if (!(error instanceof ClusterRefusal) || error.status === 0) return
    if (error.status < 500 || isOfWebhook(error)) return this.answered()
    this.#faults++
    // What was in flight together fails together, and is one more fault.
    if (this.#faults < TOLERATED || now < this.#until) return
    this.#rests++
    this.#until = now + retryDelay(this.#rests, FIRST_REST_MS, LONGEST_REST_MS)
  }

  /** Milliseconds until a write may be sent. */
  wait(now: number): number {
    return Math.max(0, this.#until - now)
  }
}
