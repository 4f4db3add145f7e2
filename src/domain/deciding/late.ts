import type { Reading } from '../workload/reading.ts'
import type { Trouble } from '../workload/trouble.ts'
import { wantsPods, podsFollowed, type Workload } from '../workload/workload.ts'

/**
 * Whether its latest wake took longer than `operationTimeout` and pods are still missing; `completed` must have been
 * applied to the reading. It ends when the pods are ready, or at the next snooze.
 */
export function isLate({ state: { history }, workload }: Pick<Reading, 'state' | 'workload'>): boolean {
  const [newest] = history
  return newest?.type === 'wake' && newest.result === 'timed_out' && missesPods(workload)
}

/** The words of its own conditions about pods that are missing; undefined: none is, or they say nothing. */
export function troubleOfPods(workload: Workload): Trouble | undefined {
  return missesPods(workload) ? workload.pods.trouble : undefined
}

function missesPods(workload: Workload): boolean {
  return wantsPods(workload) && !podsFollowed(workload)
}
