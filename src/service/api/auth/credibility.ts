import {
  compactVerify,
  customFetch,
  decodeProtectedHeader,
  type JWTPayload,
  type JWTVerifyGetKey,
} from 'jose'
import type { Clock, Monotonic } from '../../process/clock.ts'
import { SIGNATURE_ALGORITHMS } from '../../config/issuer-rules.ts'
import { LEEWAY, unverifiedClaims } from './jwt.ts'
import { remoteKeys } from './remote-keys.ts'

/**
 * How likely the cluster is to accept a token, judged before asking it. `proven`: the cluster signed it and it has not
 * expired (it may have been revoked). `plausible`: form, audience, issuer and time fit. `unlikely`: one of them does not.
 */
export type Credibility = 'proven' | 'plausible' | 'unlikely'

export interface TokenCredibility {
  of(token: string): Promise<Credibility>
  /** To be called for each token that the cluster accepted. */
  accepted(token: string): void
  /** Issuers whose tokens the cluster has accepted. */
  readonly issuers: ReadonlySet<string>
}

export interface CredibilityOptions {
  readonly audiences: readonly string[]
  /** The cluster's public keys (RFC 7517); rejects where it does not show them. */
  readonly keys: (() => Promise<unknown>) | undefined
  readonly clock: Clock
  readonly monotonic: Monotonic
}

const MAX_ISSUERS = 16
/** How long to wait after the cluster refused to show its keys, in milliseconds. */
const KEYS_COOLDOWN = 60_000
/** Never connected to: jose wants a URL, but the port fetches the keys. */
const KEYS_URL = new URL('https://cluster.invalid/openid/v1/jwks')

/** Judges tokens by their claims, by the cluster's public keys where it shows them, and by issuers accepted before. */
export function tokenCredibility({
  audiences,
  keys,
  clock,
  monotonic,
}: CredibilityOptions): TokenCredibility {
  const issuers = new Set<string>()
  const proven = new Set<string>()
  // Made for the first token: with it jose makes a `Headers`, for which Node loads its own undici.
  let keySet: ReturnType<typeof keySetOf> | undefined

  return {
    issuers,
    async of(token) {
      const claims = plausibleClaims(token, audiences, clock() / 1000)
      const issuer = claims?.iss
      if (issuer === undefined) return 'unlikely'
      if (keys && (await isSigned(token, (keySet ??= keySetOf(keys, clock, monotonic))))) {
        remember(proven, issuer)
        return 'proven'
      }
      // this issuer signs by the keys that the cluster shows, and none of those signed this token
      if (proven.has(issuer)) return 'unlikely'
      return issuers.size === 0 || issuers.has(issuer) ? 'plausible' : 'unlikely'
    },
    accepted(token) {
      const issuer = unverifiedClaims(token)?.iss
      if (issuer !== undefined) remember(issuers, issuer)
    },
  }
}

function remember(issuers: Set<string>, issuer: string): void {
  if (issuers.size < MAX_ISSUERS) issuers.add(issuer)
}

/** The claims of a token that a cluster could accept at `now` (seconds) if the signature is good; undefined: it could not. */
function plausibleClaims(token: string, audiences: readonly string[], now: number): JWTPayload | undefined {
  const claims = unverifiedClaims(token)
  if (!claims || typeof claims.iss !== 'string') return undefined
  const { aud = [], exp, nbf } = claims
  const isFor = [aud].flat().some((audience) => audiences.includes(audience))
  const holds =
    typeof exp === 'number' && exp + LEEWAY > now && !(typeof nbf === 'number' && nbf - LEEWAY > now)
  return isFor && holds && SIGNATURE_ALGORITHMS.includes(algorithmOf(token) ?? '') ? claims : undefined
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
    await compactVerify(token, keys, { algorithms: SIGNATURE_ALGORITHMS })
    return true
  } catch {
    return false
  }
}

/** jose keeps the keys for ten minutes and fetches them anew for an unknown key, at most once in 30 s. */
function keySetOf(keys: () => Promise<unknown>, clock: Clock, monotonic: Monotonic): JWTVerifyGetKey {
  let failedAt = -Infinity
  const fetchKeys = async () => {
    if (monotonic() < failedAt + KEYS_COOLDOWN) throw new Error('the cluster did not show its keys')
    try {
      return Response.json(await keys())
    } catch (error) {
      failedAt = monotonic()
      throw error
    }
  }
  return remoteKeys(KEYS_URL, { [customFetch]: fetchKeys }, clock)
}
