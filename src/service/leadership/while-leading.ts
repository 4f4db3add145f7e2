import type { Runnable } from '../process/runnable.ts'
import { LeaderElection, type LeaderElectionOptions } from './leader-election.ts'
import type { LeadershipObserver } from './ports.ts'

interface WhileLeading {
  /** Ends the work early. */
  readonly stop: AbortSignal
  readonly leaseTaken: NonNullable<LeadershipObserver['leaseTaken']>
  /** Milliseconds that the Lease stays held after work that was completed. */
  readonly keep: number
}

/**
 * Takes the Lease, even from a live leader, waits until that one can no longer act, and holds it while `work` runs.
 * When the Lease is lost, `lost` is aborted, and `work` starts again once the Lease is acquired again. If the Lease
 * does not exist and may not be created, no replica leads, and `work` starts at once. Resolves when the work is done,
 * or has ended after `stop` was aborted; rejects as the work does.
 */
export async function whileLeading(
  options: Omit<LeaderElectionOptions, 'leading' | 'observer' | 'force'>,
  work: (lost: AbortSignal) => Promise<void>,
  { stop, leaseTaken, keep }: WhileLeading,
): Promise<void> {
  const present = await options.lease.read(stop).catch((error: unknown) => {
    if (!stop.aborted) throw error
  })
  if (stop.aborted) return
  if (!present && !options.lease.creatable) return work(stop)

  const done = Promise.withResolvers<void>()
  const election = new LeaderElection({
    ...options,
    force: true,
    leading: [workPart(work, done)],
    observer: { lead: () => {}, leaseTaken },
  })
  let held = 0
  const leave = () => done.resolve()
  stop.addEventListener('abort', leave, { once: true })
  try {
    void election.start()
    await done.promise
    if (!stop.aborted) held = keep
  } finally {
    stop.removeEventListener('abort', leave)
    await election.stop(held)
  }
}

function workPart(
  work: (lost: AbortSignal) => Promise<void>,
  done: { resolve: () => void; reject: (error: unknown) => void },
): Runnable {
  let lost = new AbortController()
  let running = Promise.resolve()
  return {
    name: 'the work',
    start: async () => {
      const leadership = new AbortController()
      const { signal } = leadership
      lost = leadership
      running = work(signal).then(
        () => (signal.aborted ? undefined : done.resolve()),
        (error: unknown) => (signal.aborted ? undefined : done.reject(error)),
      )
    },
    stop: () => {
      lost.abort()
      return running
    },
  }
}
