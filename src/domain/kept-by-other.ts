import type { Reading } from './reading.ts'
import { KEPT_BY_DOWNSCALERS } from './workload.ts'

/**
 * Why a workload that another tool put to sleep is left alone until it is adopted (design, section 15): found at 0 by a
 * schedule of ours it would keep 0. undefined: no tool keeps its count, or Dormouse has moved or pinned it since.
 */
export function keptByOther({ workload, state }: Reading): string | undefined {
  const { keptByOther: kept, replicas } = workload
  // A DaemonSet of theirs has no pod, too.
  if (kept === undefined || replicas !== 0) return undefined
  if (state.asleep || state.snoozed || state.woken || state.pin) return undefined
  // Anybody may have written it.
  const count = /^\w{1,10}$/.test(kept) ? `: ${kept}` : ''
  return `left alone: another tool put it to sleep and keeps its count (${KEPT_BY_DOWNSCALERS}${count}) until kubectl dormouse import adopts it`
}
