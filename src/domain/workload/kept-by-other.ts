import type { Reading } from './reading.ts'
import { KEPT_BY_DOWNSCALERS } from './workload.ts'

/** The count that another tool keeps; empty where it is none: anybody may have written it, at any length. */
export function countOfOther(text: string | undefined): string | undefined {
  return text === undefined || /^\w{1,10}$/.test(text) ? text : ''
}

/**
 * Why a workload that another tool put to sleep is left alone until it is adopted (design, section 15): found at 0 by a
 * schedule of ours it would keep 0. undefined: no tool keeps its count, or Dormouse has moved or pinned it since.
 */
export function keptByOther({ workload, state }: Reading): string | undefined {
  const { keptByOther, replicas } = workload
  const kept = countOfOther(keptByOther)
  // A DaemonSet of theirs has no pod, too.
  if (kept === undefined || replicas !== 0) return undefined
  if (state.asleep || state.snoozed || state.woken || state.pin) return undefined
  const count = kept === '' ? '' : `: ${kept}`
  return `left alone: another tool put it to sleep and keeps its count (${KEPT_BY_DOWNSCALERS}${count}) until kubectl dormouse import adopts it`
}
