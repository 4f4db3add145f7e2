import { isAtRest } from '../workload/reading.ts'
import { currentReplicas } from '../workload/workload.ts'
import type { Instant } from '../../process/clock.ts'
import type { Rules } from '../deciding/rules.ts'
import { isHeld } from '../deciding/situation.ts'
import { factsOf } from '../kinds.ts'
import { nextTransition } from '../deciding/foresight.ts'
import { iso } from '../text.ts'
import { Unreadable } from '../workload/state-codec.ts'
import { asStored, type Draft } from './draft.ts'
import { TO_UNPIN, TO_WAKE_NOW, type Saying } from './messages.ts'
import type { Update } from './under-review.ts'

/**
 * Warnings about an update that brings a sleeper a new version (`rollout restart`, `set image`, an apply): kubectl calls
 * it rolled out, and nothing runs. None if it leaves the workload awake, or about to wake.
 */
export function newVersionOfSleeper(update: Update, made: Draft, now: Instant, rules: Rules): Saying[] {
  if (update.changesTemplate !== true) return []
  const reading = asStored(update, made, rules)
  if (reading instanceof Unreadable) return []
  const { workload, state } = reading
  if (!isAtRest(reading) || currentReplicas(workload) > 0) return []
  if (reading.enabled !== true && !isHeld(reading, now)) return []
  const wakes = nextTransition(reading, now, rules)
  if (wakes !== undefined && wakes.at <= now) return []
  const runs = factsOf(workload.kind).startsJobs
    ? 'runs after that are of the new version'
    : `the new version runs ${wakes ? 'then' : 'once it wakes'}`
  const isPinned = state.pin !== undefined
  const how = `is ${isPinned ? 'pinned asleep' : 'asleep'}${wakes ? ` until ${iso(wakes.at)}` : ''}`
  return [`${how}: ${runs}`, isPinned ? TO_UNPIN : TO_WAKE_NOW]
}
