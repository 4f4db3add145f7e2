import {
  createRemoteJWKSet,
  customFetch,
  type FetchImplementation,
  type JWTVerifyGetKey,
  type RemoteJWKSetOptions,
} from 'jose'
import type { Clock, Monotonic } from '../../process/clock.ts'
import { unavailable } from './refusals.ts'
import type { OidcSettings } from './ports.ts'
import type { Caller } from './caller.ts'
import { userByClaims } from './cluster-user-claims.ts'
import { claimsCaller, verifyJwt } from './jwt.ts'

/** Bytes, and milliseconds. */
const MAX_BYTES = 1024 * 1024
const TIMEOUT = 5000
/** Milliseconds between two fetches for unknown keys, and from a failed fetch to the next. */
const COOLDOWN = 30_000
const FAILURE_COOLDOWN = 2000

/**
 * Makes the function that checks an OpenID provider's tokens by its published keys. The configuration admits only safe
 * algorithms, and keys by https.
 *
 *     const verify = oidcVerifier({ issuer, audience: 'dormouse', jwksUri, algorithms: ['RS256'] }, clock, monotonic)
 *     const { subject, scopes, namespaces } = await verify(token)
 */
export function oidcVerifier(
  { issuer, audience, jwksUri, algorithms, asClusterUser = null }: OidcSettings,
  clock: Clock,
  monotonic: Monotonic,
) {
  const options = {
    timeoutDuration: TIMEOUT,
    cooldownDuration: COOLDOWN,
    [customFetch]: boundedFetch(monotonic),
  }
  const keys = remoteKeys(new URL(jwksUri), options, clock)
  const expected = { issuer, audience, algorithms, requiredClaims: ['sub', 'exp'] }
  return async (token: string): Promise<Caller> => {
    const claims = await verifyJwt(token, keys, expected, clock())
    return asClusterUser ? userByClaims(asClusterUser, issuer, claims) : claimsCaller('oidc', issuer, claims)
  }
}

/**
 * Keys that jose fetches, and keeps for as long as `options` say. It measures that by the clock, so keys that were
 * fetched while the clock was ahead are forgotten when it is set back: jose would never fetch them again.
 */
function remoteKeys(url: URL, options: RemoteJWKSetOptions, clock: Clock): JWTVerifyGetKey {
  let keys = createRemoteJWKSet(url, options)
  let latest = clock()
  return (header, token) => {
    const now = clock()
    if (now < latest) keys = createRemoteJWKSet(url, options)
    latest = now
    return keys(header, token)
  }
}

/** A fetch that follows no redirect, reads at most 1 MiB of JSON, and lets 2 s pass after a failure. */
function boundedFetch(monotonic: Monotonic): FetchImplementation {
  let failedAt = -Infinity
  let failure: unknown
  return async (url, { method, headers, signal }) => {
    const message = "the keys of this token's issuer cannot be fetched now: try again"
    if (monotonic() < failedAt + FAILURE_COOLDOWN) throw unavailable(message, failure)
    try {
      const response = await fetch(url, { method, headers, signal, redirect: 'error' })
      if (response.status !== 200) throw new Error(`${url} answered ${response.status}`)
      return Response.json(JSON.parse(await boundedText(response)))
    } catch (error) {
      failedAt = monotonic()
      failure = error
      throw unavailable(message, error)
    }
  }
}

async function boundedText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength
    if (size > MAX_BYTES) throw new Error(`the keys are more than ${MAX_BYTES} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}
