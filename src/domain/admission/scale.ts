import type { Instant } from '../../process/clock.ts'
import { Situation } from '../deciding/situation.ts'
import { manualWake } from '../deciding/intent.ts'
import { nextMove } from '../deciding/foresight.ts'
import { changed } from '../workload/change.ts'
import { keptCount } from '../workload/counts.ts'
import { readWorkload } from '../workload/reading.ts'
import type { Rules } from '../deciding/rules.ts'
import { Unreadable } from '../workload/state-codec.ts'
import { restOf } from '../workload/state.ts'
import type { Workload } from '../workload/workload.ts'
import { allow, type AdmissionDecision } from './decision.ts'
import { iso } from '../text.ts'
import { forPeople } from './for-people.ts'
import { TO_WAKE_NOW, told } from './messages.ts'
import { activePinOrOverride, refuse, unreadable } from './pin-or-override.ts'

/** Decides whether `workload`, as it is now, may be scaled to `replicas` through the scale subresource. */
export function admitScale(
  workload: Workload,
  replicas: number,
  now: Instant,
  rules: Rules,
): AdmissionDecision {
  return forPeople(decideScale(workload, replicas, now, rules), workload, now, rules)
}

function decideScale(workload: Workload, replicas: number, now: Instant, rules: Rules): AdmissionDecision {
  if (replicas === workload.replicas) return allow('no_count_change')
  const reading = readWorkload(workload, rules)
  if (reading instanceof Unreadable) return unreadable(workload, reading)
  const situation = new Situation(reading, now, rules)
  const pinOrOverride = activePinOrOverride(situation)
  if (pinOrOverride) return refuse(workload, pinOrOverride)
  if (reading.enabled !== true) return allow('not_managed')
  if (!reading.state.asleep || replicas <= restOf(reading.state)) return allow('free')
  const kept = keptCount(reading)
  return allow('manual_wake', replicas < kept ? belowKept(situation, replicas, kept) : [])
}

/** The workload as this scaling will be taken up. */
function woken(situation: Situation, set: number, kept: number): Situation {
  const { reading, now } = situation
  const state = {
    ...reading.state,
    asleep: false,
    intent: manualWake(situation, null),
    woken: { at: now, kept, set },
  }
  const workload = changed(reading.workload, { annotations: {}, replicas: set })
  return situation.with({ ...reading, workload, state })
}

/** Manual scaling never lowers the kept count. */
function belowKept(situation: Situation, replicas: number, kept: number): string[] {
  const { workload } = situation
  const end = nextMove(woken(situation, replicas, kept))
  const until = end === undefined ? '' : ` until ${iso(end)}`
  return told(workload, [
    `is awake with ${replicas}${until}; ${kept} are kept`,
    { ...TO_WAKE_NOW, does: `to get ${kept} now` },
  ])
}
