import type { Monotonic } from '../../process/clock.ts'
import { networkOf } from '../client-address.ts'
import { RateLimit } from '../../http/rate-limit.ts'
import type { Credibility } from './credibility.ts'

/** Reviews of one address that are in flight or ended in a refusal, for each credibility. */
const BAD_TOKENS = { perSecond: 10, burst: 100 }

/** Bounds what the tokens of one address may cost the cluster. */
export interface LoginLimit {
  /**
   * Takes a place for a review and returns a function that frees it if the token was good. Plausible tokens have
   * places of their own, and proven ones need none: a flood of nonsense locks out nobody else behind its address.
   *
   *     const settle = limit.reserve(address, 'plausible')
   *     settle(await isAccepted(token))
   *
   * @throws Refusal RATE_LIMITED
   */
  reserve(address: string, credibility: Credibility): (good: boolean) => void
}

export function limitBadTokens(monotonic: Monotonic): LoginLimit {
  const limit = new RateLimit(BAD_TOKENS, monotonic)
  return {
    reserve(address, credibility) {
      if (credibility === 'proven') return () => undefined
      const key = `${credibility} ${networkOf(address)}`
      limit.spend(key, 'too many bad tokens from your address: wait')
      return (good) => {
        if (good) limit.refund(key)
      }
    },
  }
}
