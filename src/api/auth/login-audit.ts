import { LRUCache } from 'lru-cache'
import type { Clock } from '../../clock.ts'
import type { Refusal } from '../../errors.ts'
import type { Logger } from '../../logger.ts'
import { TokenBucket } from '../../token-bucket.ts'
import { networkOf } from '../client-address.ts'

/** One line for each network in so many milliseconds, and for all of them together so many a second. */
const QUIET = 60_000
const LINES = { perSecond: 1, burst: 20 }
/** Networks that are remembered to have had their line. */
const MAX_NETWORKS = 10_000

/** Tells of refused logins, however many there are, in a bounded number of lines. */
export interface LoginAudit {
  refused(address: string, refusal: Refusal, requestId: string): void
  /** Tells how many were left out since the latest such line. */
  flush(): void
}

/** A line at once for the first of each network; at most a minute later, how many others there were. */
export function createLoginAudit(logger: Logger, clock: Clock): LoginAudit {
  const told = new LRUCache<string, true>({
    max: MAX_NETWORKS,
    ttl: QUIET,
    ttlResolution: 0,
    perf: { now: clock },
  })
  const lines = new TokenBucket(LINES.perSecond, LINES.burst)
  let leftOut = 0
  let timer: NodeJS.Timeout | undefined

  function flush(): void {
    clearTimeout(timer)
    timer = undefined
    if (leftOut > 0) logger.info({ action: 'authenticate', result: 'REFUSED', leftOut }, 'audit')
    leftOut = 0
  }

  return {
    flush,
    refused(address, { code, message }, requestId) {
      const network = networkOf(address)
      if (told.has(network) || lines.wait(clock()) > 0) {
        leftOut += 1
        timer ??= setTimeout(flush, QUIET).unref()
        return
      }
      lines.take()
      told.set(network, true)
      logger.info({ action: 'authenticate', result: code, address, reason: message, requestId }, 'audit')
    },
  }
}
