import type { Reading } from './reading.ts'
import { isRunning } from './workload.ts'

/** The count that a sleeper wakes to. */
export function keptCount({ state, workload }: Reading): number {
  return state.snoozed?.replicas ?? workload.replicas
}

/** The count that it would run with: its own if it runs already. */
export function countToWake(reading: Reading): number {
  return isRunning(reading.workload) ? reading.workload.replicas : keptCount(reading)
}

/**
 * The count that a hand left kept when it woke the workload to fewer: it comes back at the next edge, or by a wake
 * request. undefined: there is none, or the count was changed since, but for 0.
 */
export function countToGiveBack({ state: { asleep, woken }, workload }: Reading): number | undefined {
  if (asleep || woken?.kept === undefined || workload.kind === 'daemonsets') return undefined
  return workload.replicas === woken.set || workload.replicas === 0 ? woken.kept : undefined
}

/** The count to keep when going to sleep; a DaemonSet's that its controller has not counted yet stays what it was. */
export function countToKeep(reading: Reading): number {
  const { workload } = reading
  const uncounted = workload.kind === 'daemonsets' && workload.pods.observedGeneration < workload.generation
  return uncounted ? keptCount(reading) : (countToGiveBack(reading) ?? workload.replicas)
}
