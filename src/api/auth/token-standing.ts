import {
  compactVerify,
  createRemoteJWKSet,
  customFetch,
  decodeJwt,
  decodeProtectedHeader,
  type JWTPayload,
  type JWTVerifyGetKey,
} from 'jose'
import type { Clock } from '../../clock.ts'
import { ALGORITHMS, LEEWAY } from './claims.ts'

/**
 * What can be said of a token before the cluster is asked. `proven`: the cluster signed it and it has not
 * expired (it may have been withdrawn). `plausible`: in form, audience, issuer and time it could be good.
 */
export type Standing = 'proven' | 'plausible' | 'unknown'

export interface TokenStanding {
  of(token: string): Promise<Standing>
  /** Told of each token that the cluster accepted. */
  accepted(token: string): void
  /** Issuers whose tokens the cluster has accepted. */
  readonly issuers: ReadonlySet<string>
}

export interface StandingOptions {
  readonly audiences: readonly string[]
  /** The cluster's public keys (RFC 7517); rejects where it does not show them. */
  readonly keys: (() => Promise<unknown>) | undefined
  readonly clock: Clock
}

const MAX_ISSUERS = 16
/** How long the cluster is not asked for its keys again after it did not give them, in milliseconds. */
const KEYS_COOLDOWN = 60_000
/** The keys have no address of their own here: the port fetches them. */
const KEYS_URL = new URL('https://cluster.invalid/openid/v1/jwks')

export function tokenStanding({ audiences, keys, clock }: StandingOptions): TokenStanding {
  const issuers = new Set<string>()
  const proven = new Set<string>()
  const keySet = keys && keySetOf(keys, clock)

  return {
    issuers,
    async of(token) {
      const claims = soundClaims(token, audiences, clock() / 1000)
      const issuer = claims?.iss
      if (issuer === undefined) return 'unknown'
      if (keySet && (await isSigned(token, keySet))) {
        remember(proven, issuer)
        return 'proven'
      }
      // the cluster would have signed it by a key that it shows
      if (proven.has(issuer)) return 'unknown'
      return issuers.size === 0 || issuers.has(issuer) ? 'plausible' : 'unknown'
    },
    accepted(token) {
      const issuer = claimsOf(token)?.iss
      if (issuer !== undefined) remember(issuers, issuer)
    },
  }
}

function remember(issuers: Set<string>, issuer: string): void {
  if (issuers.size < MAX_ISSUERS) issuers.add(issuer)
}

/** What a token claims, be it true or not; undefined: it is no JWT. */
export function claimsOf(token: string): JWTPayload | undefined {
  try {
    return decodeJwt(token)
  } catch {
    return undefined
  }
}

/** The claims of what a cluster could accept at `now` (seconds), but for the signature. */
function soundClaims(token: string, audiences: readonly string[], now: number): JWTPayload | undefined {
  const claims = claimsOf(token)
  if (!claims || typeof claims.iss !== 'string') return undefined
  const { aud = [], exp, nbf } = claims
  const isFor = [aud].flat().some((audience) => audiences.includes(audience))
  const holds =
    typeof exp === 'number' && exp + LEEWAY > now && !(typeof nbf === 'number' && nbf - LEEWAY > now)
  return isFor && holds && ALGORITHMS.includes(algorithmOf(token) ?? '') ? claims : undefined
}

function algorithmOf(token: string): string | undefined {
  try {
    return decodeProtectedHeader(token).alg
  } catch {
    return undefined
  }
}

async function isSigned(token: string, keys: JWTVerifyGetKey): Promise<boolean> {
  try {
    await compactVerify(token, keys, { algorithms: ALGORITHMS })
    return true
  } catch {
    return false
  }
}

/** Kept for ten minutes, fetched anew for an unknown key, at most once in 30 s (jose's own bounds). */
function keySetOf(keys: () => Promise<unknown>, clock: Clock): JWTVerifyGetKey {
  let failedAt = -Infinity
  return createRemoteJWKSet(KEYS_URL, {
    [customFetch]: async () => {
      if (clock() < failedAt + KEYS_COOLDOWN) throw new Error('the cluster did not show its keys')
      try {
        return Response.json(await keys())
      } catch (error) {
        failedAt = clock()
        throw error
      }
    },
  })
}
