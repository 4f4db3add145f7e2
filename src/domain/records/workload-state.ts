import type { Instant } from '../../process/clock.ts'
import { backoffInEffect } from '../deciding/backoff.ts'
import { completed } from '../deciding/history.ts'
import { isLate } from '../deciding/late.ts'
import type { Rules } from '../deciding/rules.ts'
import { isHeld, overrideInEffect } from '../deciding/situation.ts'
import type { Reading } from '../workload/reading.ts'
import { Unreadable } from '../workload/state-codec.ts'

/** The states for filters and metrics: the first one that applies to a workload counts. */
export const WORKLOAD_STATES = [
  'invalid',
  'unmanaged',
  'pinned_active',
  'pinned_snoozed',
  'overridden',
  'backoff',
  'snoozed',
  'awake',
] as const
export type WorkloadState = (typeof WORKLOAD_STATES)[number]

/** The filters of lists: a state, or `late`, which is no state of its own, since a late workload is awake or held. */
export const STATE_FILTERS = [...WORKLOAD_STATES, 'late'] as const
export type StateFilter = (typeof STATE_FILTERS)[number]

/** Whether a filter lets the workload through. */
export function passesFilter(
  reading: Reading | Unreadable,
  filter: StateFilter,
  now: Instant,
  { policy }: Rules,
): boolean {
  const state = workloadState(reading, now)
  if (filter !== 'late') return state === filter
  return !(reading instanceof Unreadable) && state !== 'unmanaged' && isLate(completed(reading, now, policy))
}

export function workloadState(reading: Reading | Unreadable, now: Instant): WorkloadState {
  if (reading instanceof Unreadable) return 'invalid'
  const { state, enabled } = reading
  if (enabled !== true && !isHeld(reading, now)) return 'unmanaged'
  if (state.pin) return `pinned_${state.pin.state}`
  if (overrideInEffect(reading, now)) return 'overridden'
  if (backoffInEffect(state, now)) return 'backoff'
  return state.asleep ? 'snoozed' : 'awake'
}
