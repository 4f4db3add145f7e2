import type { Runnable } from '../../process/runnable.ts'
import { LeaderElection, type LeaderElectionOptions } from './leader-election.ts'
import type { LeadershipObserver } from './ports.ts'

interface WhileLeading {
  /** Ends the work early. */
  readonly stop: AbortSignal
  readonly leaseTaken: NonNullable<LeadershipObserver['leaseTaken']>
  /** The one who marks the Lease as released once the work is over. */
  readonly markedBy: string
}

/** Whether the Lease is marked as released now; `needless`: there is no Lease, or the work was stopped. */
export type Marking = 'marked' | 'failed' | 'needless'

/**
 * Takes the Lease, even from a live leader, waits until that one can no longer act, and holds it while `work` runs.
 * When the Lease is lost, `lost` is aborted, and `work` starts again once the Lease is acquired again. If the Lease
 * does not exist and may not be created, no replica leads, and `work` starts at once. Once the work is over, done or
 * failed, the Lease is marked as released, so that no replica undoes it; only if `stop` was aborted it is given back.
 * Rejects as the work does.
 */
export async function whileLeading(
  options: Omit<LeaderElectionOptions, 'leading' | 'observer' | 'force'>,
  work: (lost: AbortSignal) => Promise<void>,
  { stop, leaseTaken, markedBy }: WhileLeading,
): Promise<Marking> {
  const present = await options.lease.read(stop).catch((error: unknown) => {
    if (!stop.aborted) throw error
  })
  if (stop.aborted) return 'needless'
  if (!present && !options.lease.creatable) {
    await work(stop)
    return 'needless'
  }

  const done = Promise.withResolvers<void>()
  const election = new LeaderElection({
    ...options,
    force: true,
    leading: [workPart(work, done)],
    observer: { lead: () => {}, leaseTaken },
  })
  let marking: Marking = 'needless'
  const leave = () => done.resolve()
  stop.addEventListener('abort', leave, { once: true })
  try {
    void election.start()
    await done.promise
  } finally {
    stop.removeEventListener('abort', leave)
    if (stop.aborted) await election.stop()
    else marking = (await election.stopReleased(markedBy)) ? 'marked' : 'failed'
  }
  return marking
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
