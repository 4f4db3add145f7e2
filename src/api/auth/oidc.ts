import { createRemoteJWKSet, customFetch, type FetchImplementation } from 'jose'
import type { Clock } from '../../clock.ts'
import { ALGORITHMS, claimsIdentity, verifiedClaims } from './claims.ts'
import { unavailable } from '../errors.ts'
import type { Identity } from './identity.ts'
import type { OidcSettings } from '../ports.ts'

/** Bytes, and milliseconds. */
const MAX_BYTES = 1024 * 1024
const TIMEOUT = 5000
/** How long an unknown key brings no second fetch, and a failed fetch no other. */
const COOLDOWN = 30_000
const FAILURE_COOLDOWN = 2000

/** Checks an OpenID provider's tokens by its published keys. Throws TypeError on unsafe settings. */
export function oidcVerifier({ issuer, audience, jwksUri, algorithms }: OidcSettings, clock: Clock) {
  const url = new URL(jwksUri)
  if (url.protocol !== 'https:' && !isLoopback(url.hostname)) {
    throw new TypeError(`auth.oidc: jwksUri must be https: ${jwksUri}`)
  }
  const unsafe = algorithms.find((algorithm) => !ALGORITHMS.includes(algorithm))
  if (algorithms.length === 0 || unsafe !== undefined) {
    throw new TypeError(
      `auth.oidc: algorithms must be of ${ALGORITHMS.join(', ')}; found ${unsafe ?? 'none'}`,
    )
  }
  const keys = createRemoteJWKSet(url, {
    timeoutDuration: TIMEOUT,
    cooldownDuration: COOLDOWN,
    [customFetch]: boundedFetch(clock),
  })
  const expected = { issuer, audience, algorithms, requiredClaims: ['sub', 'exp'] }
  return async (token: string): Promise<Identity> =>
    claimsIdentity('oidc', issuer, await verifiedClaims(token, keys, expected, clock()))
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(host)
}

/** Follows no redirect, reads at most 1 MiB of JSON, and leaves a failing issuer alone for a moment. */
function boundedFetch(clock: Clock): FetchImplementation {
  let failedAt = -Infinity
  let failure: unknown
  return async (url, { method, headers, signal }) => {
    const message = "the keys of this token's issuer cannot be had now: try again"
    if (clock() < failedAt + FAILURE_COOLDOWN) throw unavailable(message, failure)
    try {
      const response = await fetch(url, { method, headers, signal, redirect: 'error' })
      if (response.status !== 200) throw new Error(`${url} answered ${response.status}`)
      return Response.json(JSON.parse(await boundedText(response)))
    } catch (error) {
      failedAt = clock()
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
