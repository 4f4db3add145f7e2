import type { Workload } from '../../domain/workload/workload.ts'
import { inTurns } from '../process/turns.ts'

interface Rereading {
  readonly workloads: Iterable<Workload>
  /** Reads one of them again, if what has changed concerns it. */
  readonly reread: (workload: Workload) => void
  /** Told of a fault of ours over one: the others are read all the same. */
  readonly failed: (workload: Workload, error: unknown) => void
}

/**
 * Reads workloads again because something beside them has changed, such as a calendar: some in a turn of the event loop,
 * since there may be 100,000. Resolves when all are read; never rejects.
 */
export function rereadInTurns({ workloads, reread, failed }: Rereading): Promise<void> {
  const one = (workload: Workload) => {
    try {
      reread(workload)
    } catch (error) {
      failed(workload, error)
    }
  }
  return inTurns(workloads, one)
}
