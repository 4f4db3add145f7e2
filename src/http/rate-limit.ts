import { LRUCache } from 'lru-cache'
import type { Monotonic } from '../process/clock.ts'
import { Refusal } from '../process/errors.ts'
import { TokenBucket } from '../process/token-bucket.ts'

/** Tokens a second, and at once. */
export interface Rate {
  readonly perSecond: number
  readonly burst: number
}

/** The message for a caller over the rate. */
export function tooMany({ perSecond, burst }: Rate): string {
  return `at most ${perSecond} requests a second, and ${burst} at once: slow down`
}

/** How many buckets are kept. Beyond that, the least recently used one is dropped and starts full again. */
const MAX_KEYS = 20_000

/**
 * One token bucket for each key, in bounded memory: a bucket that is full again is dropped.
 *
 *     const limit = new RateLimit({ perSecond: 20, burst: 40 }, monotonic)
 *     limit.spend('k8s:alice', 'slow down')
 */
export class RateLimit {
  readonly #buckets: LRUCache<string, TokenBucket>
  readonly #rate: Rate
  readonly #monotonic: Monotonic

  constructor(rate: Rate, monotonic: Monotonic) {
    this.#rate = rate
    this.#monotonic = monotonic
    this.#buckets = new LRUCache({
      max: MAX_KEYS,
      ttl: Math.ceil((rate.burst / rate.perSecond) * 1000),
      updateAgeOnGet: true,
      ttlResolution: 0,
      perf: { now: monotonic },
    })
  }

  /** Takes one of this key's tokens. @throws Refusal RATE_LIMITED with `message` and the time until the next token */
  spend(key: string, message: string): void {
    const bucket = this.#buckets.get(key) ?? new TokenBucket(this.#rate.perSecond, this.#rate.burst)
    const wait = bucket.wait(this.#monotonic())
    if (wait > 0) throw new Refusal('RATE_LIMITED', message, { retryAfter: Math.ceil(wait / 1000) })
    bucket.take()
    this.#buckets.set(key, bucket)
  }

  /** Returns what `spend` took. */
  refund(key: string): void {
    this.#buckets.get(key)?.giveBack()
  }

  /** How many buckets are kept. */
  get size(): number {
    return this.#buckets.size
  }
}
