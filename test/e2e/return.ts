import type { Cluster } from '../support/cluster.ts'
import { eventually } from '../support/eventually.ts'

/**
 * When an API server that is away first answers anything at all, in milliseconds since the epoch. To be asked
 * before it is started: `startApiServer` resolves only when it is ready, and others have been served by then.
 */
export function firstAnswer({ admin }: Cluster): Promise<number> {
  return eventually(
    'the API server to answer',
    async () => {
      await admin.send('GET', '/version')
      return Date.now()
    },
    { timeout: 60_000, pause: 10 },
  )
}
