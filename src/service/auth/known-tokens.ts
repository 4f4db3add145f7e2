import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Clock, Instant } from '../../process/clock.ts'
import type { Caller } from './caller.ts'
import { CACHED } from './cluster-rights.ts'
import { LEEWAY, unverifiedClaims } from './jwt.ts'

const MAX_TOKENS = 10_000

export type Verify = (token: string, address: string) => Promise<Caller>

interface Known {
  readonly caller: Caller
  readonly since: Instant
  /** When to verify it again. */
  readonly until: Instant
}

/** Tokens that were verified a moment ago. */
export interface KnownTokens {
  /** The token's caller; undefined: it has to be verified. */
  callerOf(token: string): Caller | undefined
  /** The same verification, with its results kept for `callerOf`. */
  remembering(verify: Verify): Verify
}

/**
 * Remembers verified tokens for 10 s, and never beyond their expiry: callers show the same token again and again, and
 * its signature is the dearest thing that we compute for a request. A key that an issuer takes back counts for those 10 s
 * longer; jose keeps an issuer's keys for ten minutes. Refused tokens are not remembered. The key is the token's SHA-256,
 * so that no token stays in memory.
 */
export function knownTokens(clock: Clock): KnownTokens {
  const known = new LRUCache<string, Known>({ max: MAX_TOKENS })
  return {
    callerOf(token) {
      const found = known.get(digest(token))
      if (!found) return undefined
      const now = clock()
      // `since`: our clock may have been set back
      return found.since <= now && now < found.until ? found.caller : undefined
    },
    remembering: (verify) => async (token, address) => {
      const caller = await verify(token, address)
      const since = clock()
      const { exp = 0 } = unverifiedClaims(token) ?? {}
      known.set(digest(token), { caller, since, until: Math.min(since + CACHED, (exp + LEEWAY) * 1000) })
      return caller
    },
  }
}

function digest(token: string): string {
  return hash('sha256', token, 'base64url')
}
