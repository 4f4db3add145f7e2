import { isIPv6 } from 'node:net'
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { Refusal } from '../errors.ts'
import type { Step } from './context.ts'
import { subjectKey } from './identity.ts'

/** Tokens that one address may have in review, or have had refused, in a window of so many seconds. */
const BAD_TOKENS = 100
const BAD_TOKEN_WINDOW = 10

/** So many requests a second of each subject, spent `burst` at once or evenly. */
export function limitRequests({ perSecond, burst }: { perSecond: number; burst: number }): Step {
  const limiter = new RateLimiterMemory({ points: burst, duration: burst / perSecond })
  return async (ctx, next) => {
    await spend(limiter, subjectKey(ctx.state.caller), `at most ${perSecond} requests a second: slow down`)
    await next()
  }
}

/** Bounds what the tokens of one address may cost the cluster. */
export interface AddressLimit {
  /** Takes a place for a review; the function given back frees it, if the token was good. */
  reserve(address: string): Promise<(good: boolean) => Promise<void>>
}

export function limitBadTokens(): AddressLimit {
  const limiter = new RateLimiterMemory({ points: BAD_TOKENS, duration: BAD_TOKEN_WINDOW })
  return {
    async reserve(address) {
      const key = network(address)
      await spend(limiter, key, 'too many bad tokens from your address: wait')
      return async (good) => {
        if (good) await limiter.reward(key)
      }
    },
  }
}

async function spend(limiter: RateLimiterMemory, key: string, message: string): Promise<void> {
  try {
    await limiter.consume(key)
  } catch (rejection) {
    if (!(rejection instanceof RateLimiterRes)) throw rejection
    throw new Refusal('RATE_LIMITED', message, {
      retryAfter: Math.max(1, Math.ceil(rejection.msBeforeNext / 1000)),
    })
  }
}

/** An IPv6 host usually has a whole /64 to itself. */
function network(address: string): string {
  if (!isIPv6(address) || address.startsWith('::ffff:')) return address
  const [head = '', tail = ''] = address.split('::')
  const left = head.split(':').filter(Boolean)
  const right = tail.split(':').filter(Boolean)
  const zeros = Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => '0')
  return [...left, ...zeros, ...right].slice(0, 4).join(':')
}
