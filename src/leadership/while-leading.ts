import { LeaderElection, type LeaderElectionOptions } from './leader-election.ts'
import type { Runnable } from '../runnable.ts'

/**
 * Takes the Lease, from a living leader too, waits until that one has stopped, and keeps it while `work`
 * runs. Should the Lease be lost, `lost` is aborted and `work` begun anew once it is had again.
 * Where no Lease is to be had, because there is none and none may be created, nobody leads and work begins.
 * Resolves when the work is done, or has ended after `stop` was aborted; rejects as it does. Work that is done
 * leaves the Lease held for `keep` milliseconds more.
 */
export async function whileLeading(
  options: Omit<LeaderElectionOptions, 'leading' | 'observer' | 'seize'>,
  work: (lost: AbortSignal) => Promise<void>,
  { stop, say, keep }: { stop: AbortSignal; say: (message: string) => void; keep: number },
): Promise<void> {
  const present = await options.lease.read(stop)
  if (!present && !options.lease.creatable) return work(stop)

  const done = Promise.withResolvers<void>()
  const election = new LeaderElection({
    ...options,
    seize: true,
    leading: [part(work, done)],
    observer: {
      lead: () => {},
      seized: (from, milliseconds) =>
        say(
          `The Lease was taken from ${from}, which leads: in ${Math.ceil(milliseconds / 1000)} s it has stopped`,
        ),
    },
  })
  let held = 0
  const leave = () => done.resolve()
  stop.addEventListener('abort', leave, { once: true })
  if (stop.aborted) return
  try {
    void election.start()
    await done.promise
    if (!stop.aborted) held = keep
  } finally {
    stop.removeEventListener('abort', leave)
    await election.stop(held)
  }
}

function part(
  work: (lost: AbortSignal) => Promise<void>,
  done: { resolve: () => void; reject: (error: unknown) => void },
): Runnable {
  let lost = new AbortController()
  let running = Promise.resolve()
  return {
    name: 'the work',
    start: () => {
      const term = new AbortController()
      lost = term
      running = work(term.signal).then(
        () => (term.signal.aborted ? undefined : done.resolve()),
        (error: unknown) => (term.signal.aborted ? undefined : done.reject(error)),
      )
      return Promise.resolve()
    },
    stop: () => {
      lost.abort()
      return running
    },
  }
}
