import { LRUCache } from 'lru-cache'
import type { Clock } from '../clock.ts'
import { Refusal } from '../errors.ts'
import { TokenBucket } from '../token-bucket.ts'
import type { Step } from './context.ts'
import { subjectKey } from './auth/identity.ts'

export interface Rate {
  readonly perSecond: number
  readonly burst: number
}

/** Buckets that are remembered: beyond, the one unused for longest is forgotten, and begins full again. */
const MAX_KEYS = 20_000

/** One token bucket for each key. What it remembers is bounded, and a bucket that is full again is forgotten. */
export class RateLimit {
  readonly #buckets: LRUCache<string, TokenBucket>
  readonly #rate: Rate
  readonly #clock: Clock

  constructor(rate: Rate, clock: Clock) {
    this.#rate = rate
    this.#clock = clock
    this.#buckets = new LRUCache({
      max: MAX_KEYS,
      ttl: Math.ceil((rate.burst / rate.perSecond) * 1000),
      updateAgeOnGet: true,
      ttlResolution: 0,
      perf: { now: clock },
    })
  }

  /** Takes one of this key's tokens. @throws Refusal RATE_LIMITED with `message` and when there will be one */
  spend(key: string, message: string): void {
    const bucket = this.#buckets.get(key) ?? new TokenBucket(this.#rate.perSecond, this.#rate.burst)
    const wait = bucket.wait(this.#clock())
    if (wait > 0) throw new Refusal('RATE_LIMITED', message, { retryAfter: Math.ceil(wait / 1000) })
    bucket.take()
    this.#buckets.set(key, bucket)
  }

  /** Gives back what `spend` took. */
  refund(key: string): void {
    this.#buckets.get(key)?.giveBack()
  }

  /** How many keys are remembered. */
  get size(): number {
    return this.#buckets.size
  }
}

/** So many requests a second of each subject, `burst` of them at once. */
export function limitRequests(rate: Rate, clock: Clock): Step {
  const limit = new RateLimit(rate, clock)
  const message = `at most ${rate.perSecond} requests a second, and ${rate.burst} at once: slow down`
  return async (ctx, next) => {
    limit.spend(subjectKey(ctx.state.caller), message)
    await next()
  }
}
