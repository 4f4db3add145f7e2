import type { Monotonic } from '../../process/clock.ts'
import { networkOf } from '../client-address.ts'
import { RateLimit } from '../../http/rate-limit.ts'

/** Reviews of one address that are in flight or ended in a refusal. */
const BAD_TOKENS = { perSecond: 10, burst: 100 }

/**
 * Bounds what the bad tokens of one address may cost the cluster: the function takes a place for a review and returns
 * another that frees it if the token was good.
 *
 *     const settle = reserve(address)
 *     settle(await isAccepted(token))
 *
 * That throws Refusal RATE_LIMITED.
 */
export function limitBadTokens(monotonic: Monotonic): (address: string) => (isGood: boolean) => void {
  const limit = new RateLimit(BAD_TOKENS, monotonic)
  return (address) => {
    const key = networkOf(address)
    limit.spend(key, 'too many bad tokens from your address: wait')
    return (isGood) => {
      if (isGood) limit.refund(key)
    }
  }
}
