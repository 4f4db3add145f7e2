import type { Instant } from '../../process/clock.ts'
import type { Rules } from '../deciding/rules.ts'
import { isHeld } from '../deciding/situation.ts'
import { sleepsSuspended } from '../kinds.ts'
import { nextTransition } from '../deciding/foresight.ts'
import { iso } from '../text.ts'
import { changed } from '../workload/change.ts'
import { UNPIN } from '../workload/explanation.ts'
import { readWorkload } from '../workload/reading.ts'
import { Unreadable } from '../workload/state-codec.ts'
import { isRunning } from '../workload/workload.ts'
import type { AdmissionDecision } from './decision.ts'
import type { Update } from './draft.ts'
import { about, toAsk } from './messages.ts'

/**
 * Warnings about an update that brings a sleeper a new version (`rollout restart`, `set image`, an apply): kubectl calls
 * it rolled out, and nothing runs. None if it leaves the workload awake, or about to wake.
 */
export function newVersionOfSleeper(
  { after, changesTemplate }: Update,
  decision: AdmissionDecision,
  now: Instant,
  rules: Rules,
): string[] {
  if (changesTemplate !== true || decision.type === 'denied') return []
  const stored = decision.type === 'patched' ? changed(after, decision.change) : after
  const reading = readWorkload(stored, rules)
  if (reading instanceof Unreadable || !reading.state.asleep || isRunning(stored)) return []
  if (reading.enabled !== true && !isHeld(reading, now)) return []
  const wakes = nextTransition(reading, now, rules)
  if (wakes !== undefined && wakes.at <= now) return []
  const runs = sleepsSuspended(stored.kind)
    ? 'runs after that are of the new version'
    : `the new version runs ${wakes ? 'then' : 'once it wakes'}`
  const isPinned = reading.state.pin !== undefined
  const how = `is ${isPinned ? 'pinned asleep' : 'asleep'}${wakes ? ` until ${iso(wakes.at)}` : ''}`
  const ask = isPinned
    ? toAsk(stored, 'to let it go', UNPIN)
    : toAsk(stored, 'to wake it now', { action: 'wake', query: {} })
  const isSaid = decision.warnings.includes(ask)
  return [about(stored, `${how}: ${runs}`), ...(isSaid ? [] : [ask])]
}
