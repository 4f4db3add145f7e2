import type { Reading } from './reading.ts'
import { hasCount, hasKey } from '../kinds.ts'
import { isRunning } from './workload.ts'

/** The count that a sleeper wakes to. */
export function keptCount({ state, workload }: Reading): number {
  return state.snoozed?.replicas ?? workload.replicas
}

/** The count that it runs with once it is awake: if it runs already its own, unless that would lose the kept one. */
export function countToWake(reading: Reading): number {
  if (!isRunning(reading.workload)) return keptCount(reading)
  return isLowered(reading) ? keptCount(reading) : reading.workload.replicas
}

/**
 * Whether a sleeper was found running with fewer replicas than are kept, by an update that is no scaling and no apply of
 * a manifest: a machine's count weighs no more than a hand's, and neither lowers the kept one.
 */
export function isLowered(reading: Reading): boolean {
  const { workload, state } = reading
  const { replicas, replicasManager, manifestCount, kind } = workload
  if (!state.asleep || !hasCount(kind) || replicasManager?.subresource === 'scale') return false
  const isApplied = replicasManager?.applies === true || manifestCount === replicas
  return !isApplied && replicas > 0 && replicas < keptCount(reading)
}

/**
 * The count that stayed kept when somebody woke the workload to fewer replicas: it comes back at the next edge, or by
 * a wake request. undefined: there is none, or somebody has set another count since, other than 0.
 */
export function countToGiveBack({ state: { asleep, woken }, workload }: Reading): number | undefined {
  if (asleep || woken?.kept === undefined || !hasCount(workload.kind)) return undefined
  return workload.replicas === woken.set || workload.replicas === 0 ? woken.kept : undefined
}

/** The count to keep when it goes to sleep. A DaemonSet that its controller has not counted yet keeps the former one. */
export function countToKeep(reading: Reading): number {
  const { workload } = reading
  const uncounted = hasKey(workload.kind) && workload.pods.observedGeneration < workload.generation
  return uncounted ? keptCount(reading) : (countToGiveBack(reading) ?? workload.replicas)
}
