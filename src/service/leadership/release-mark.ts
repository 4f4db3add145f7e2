import type { Released } from '../../domain/deciding/released.ts'
import type { LeaseRecord } from '../../kubernetes/ports.ts'

/** No identity of a replica begins so, because a host's name has no blanks. */
const HOLDER = 'released by '
/** The longest duration for which a replica that does not know the mark waits, too. */
const DURATION_SECONDS = 3600

/** undefined: the Lease has no mark. */
export function releasedIn({ holder, acquireTime }: LeaseRecord): Released | undefined {
  if (!holder.startsWith(HOLDER)) return undefined
  return { by: holder.slice(HOLDER.length), since: acquireTime?.replace(/\.\d+Z$/, 'Z') }
}

/**
 * The record that keeps every replica from leading. It is a holder that nobody is: so `kubectl get lease` shows it, and
 * a replica that does not know the mark stands by as well, until it is not renewed for an hour. `at`: a MicroTime.
 */
export function markedRecord(by: string, at: string, transitions: number): LeaseRecord {
  return {
    holder: `${HOLDER}${by}`,
    durationSeconds: DURATION_SECONDS,
    acquireTime: at,
    renewTime: at,
    transitions,
  }
}
