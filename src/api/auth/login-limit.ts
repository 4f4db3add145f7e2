import type { Clock } from '../../clock.ts'
import { networkOf } from '../client-address.ts'
import { RateLimit } from '../rate-limit.ts'
import type { Standing } from './token-standing.ts'

/** Reviews of one address that are under way or ended in a refusal, for each standing. */
const BAD_TOKENS = { perSecond: 10, burst: 100 }

/** Bounds what the tokens of one address may cost the cluster. */
export interface LoginLimit {
  /**
   * Takes a place for a review; the function given back frees it, if the token was good. What is plausible has
   * places of its own, and what is proven needs none: with nonsense nobody locks others of the address out.
   * @throws Refusal RATE_LIMITED
   */
  reserve(address: string, standing: Standing): (good: boolean) => void
}

export function limitBadTokens(clock: Clock): LoginLimit {
  const limit = new RateLimit(BAD_TOKENS, clock)
  return {
    reserve(address, standing) {
      if (standing === 'proven') return () => undefined
      const key = `${standing} ${networkOf(address)}`
      limit.spend(key, 'too many bad tokens from your address: wait')
      return (good) => {
        if (good) limit.refund(key)
      }
    },
  }
}
