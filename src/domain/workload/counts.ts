import { floorOf, type Reading } from './reading.ts'
import { restOf } from './state.ts'
import { formOf } from '../sleeping/forms.ts'
import { looksAsleep, isScaled, KEPT_BY_DOWNSCALERS } from './workload.ts'

/** The counts that a decision chooses from. */
export interface Counts {
  /** The count that a sleeper wakes to. */
  readonly kept: number
  /**
   * Whether a sleeper was found running with fewer replicas than are kept, by an update that is no scaling and no apply
   * of a manifest: a machine's count weighs no more than a hand's, and neither lowers the kept one.
   */
  readonly isLowered: boolean
  /** The count once it is awake: its own if it runs already, unless that would lose the kept one. */
  readonly toWake: number
  /**
   * The count that stayed kept when somebody woke it to fewer replicas: the next edge or a wake request restores it.
   * undefined: none, or somebody has set another count since, other than 0.
   */
  readonly toGiveBack: number | undefined
  /** The count to keep when it goes to sleep. A DaemonSet that its controller has not counted yet keeps the former count. */
  readonly toKeep: number
  /** The count that a sleeper keeps when somebody, but no manifest, scales it up to fewer; undefined: none. */
  readonly stillKept: number | undefined
}

/** The counts of a workload as it is read. */
export function countsOf(reading: Reading): Counts {
  const { workload, state } = reading
  const { replicas, pods, generation } = workload
  const kept = keptCount(reading)
  const isLowered = isBelow(reading, kept)
  const toGiveBack = countToGiveBack(reading)
  const isUncounted = !formOf(workload).countInSpec && pods.observedGeneration < generation
  return {
    kept,
    isLowered,
    toWake: looksAsleep(workload, restOf(state)) || isLowered ? kept : replicas,
    toGiveBack,
    toKeep: isUncounted ? kept : (toGiveBack ?? replicas),
    stillKept: isLowered || (isScaled(workload) && replicas < kept) ? kept : undefined,
  }
}

/** The count that a sleeper wakes to. */
export function keptCount({ state, workload }: Reading): number {
  return state.snoozed?.replicas ?? workload.replicas
}

function isBelow({ workload, state }: Reading, kept: number): boolean {
  const { replicas, replicasManager, manifestCount } = workload
  if (!state.asleep || !formOf(workload).scales || isScaled(workload)) return false
  const isApplied = replicasManager?.applies === true || manifestCount === replicas
  return !isApplied && replicas > restOf(state) && replicas < kept
}

function countToGiveBack({ state: { asleep, woken }, workload }: Reading): number | undefined {
  if (asleep || woken?.kept === undefined || !formOf(workload).scales) return undefined
  return workload.replicas === woken.set || workload.replicas === 0 ? woken.kept : undefined
}

/** The count that another tool keeps; empty where it is none: anybody may have written it, at any length. */
export function countOfOther(text: string | undefined): string | undefined {
  return text === undefined || /^\w{1,10}$/.test(text) ? text : ''
}

/**
 * Why a workload that another tool put to sleep is left alone until it is adopted: a schedule of ours would keep the
 * count that it has now. undefined: no tool keeps its count, or Dormouse has moved or pinned it since.
 */
export function keptByOther(reading: Reading): string | undefined {
  const { workload, state } = reading
  const { keptByOther, replicas } = workload
  const kept = countOfOther(keptByOther)
  // A DaemonSet of theirs has no pod, too.
  if (kept === undefined || replicas > floorOf(reading)) return undefined
  if (state.asleep || state.snoozed || state.woken || state.pin) return undefined
  const count = kept === '' ? '' : `: ${kept}`
  return `left alone: another tool put it to sleep and keeps its count (${KEPT_BY_DOWNSCALERS}${count}) until kubectl dormouse import adopts it`
}
