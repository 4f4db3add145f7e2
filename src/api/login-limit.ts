import { isIPv6 } from 'node:net'
import type { Clock } from '../clock.ts'
import { RateLimit } from './rate-limit.ts'

/** Tokens that one address may have in review, or have had refused. */
const BAD_TOKENS = { perSecond: 10, burst: 100 }

/** Bounds what the tokens of one address may cost the cluster. */
export interface AddressLimit {
  /** Takes a place for a review; the function given back frees it, if the token was good. */
  reserve(address: string): (good: boolean) => void
}

export function limitBadTokens(clock: Clock): AddressLimit {
  const limit = new RateLimit(BAD_TOKENS, clock)
  return {
    reserve(address) {
      const key = network(address)
      limit.spend(key, 'too many bad tokens from your address: wait')
      return (good) => {
        if (good) limit.refund(key)
      }
    },
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
