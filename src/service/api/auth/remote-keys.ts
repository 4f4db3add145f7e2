import { createRemoteJWKSet, type JWTVerifyGetKey, type RemoteJWKSetOptions } from 'jose'
import type { Clock } from '../../process/clock.ts'

/**
 * Keys that jose fetches, and keeps for as long as `options` say. It measures that by the clock: keys that were fetched
 * by a clock that was ahead would never be fetched again. So they are forgotten when the clock is set back.
 */
export function remoteKeys(url: URL, options: RemoteJWKSetOptions, clock: Clock): JWTVerifyGetKey {
  let keys = createRemoteJWKSet(url, options)
  let latest = clock()
  return (header, token) => {
    const now = clock()
    if (now < latest) keys = createRemoteJWKSet(url, options)
    latest = now
    return keys(header, token)
  }
}
