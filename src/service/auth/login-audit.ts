import { LRUCache } from 'lru-cache'
import type { Monotonic } from '../../process/clock.ts'
import type { Refusal } from '../../process/errors.ts'
import type { Logger } from '../../process/logger.ts'
import { TokenBucket } from '../../process/token-bucket.ts'
import { networkOf } from '../../http/client-address.ts'

/** Each network gets one line in this many milliseconds; `LINES` bounds all networks together. */
const QUIET = 60_000
const LINES = { perSecond: 1, burst: 20 }
/** How many networks are remembered to have had their line. */
const MAX_NETWORKS = 10_000

/** Logs refused logins in a bounded number of lines, however many there are. */
export interface LoginAudit {
  refused(address: string, refusal: Refusal, requestId: string): void
  /** Logs how many were left out since the last such line. */
  flush(): void
}

/** Logs the first refusal of each network at once, and within a minute how many others there were. */
export function createLoginAudit(logger: Logger, monotonic: Monotonic): LoginAudit {
  const logged = new LRUCache<string, true>({
    max: MAX_NETWORKS,
    ttl: QUIET,
    ttlResolution: 0,
    perf: { now: monotonic },
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
      if (logged.has(network) || lines.wait(monotonic()) > 0) {
        leftOut += 1
        timer ??= setTimeout(flush, QUIET).unref()
        return
      }
      lines.take()
      logged.set(network, true)
      logger.info({ action: 'authenticate', result: code, address, reason: message, requestId }, 'audit')
    },
  }
}
