import type { Instant } from '../../clock.ts'
import { earliest } from '../decision.ts'
import { wakeHold } from '../intent.ts'
import { keptCount } from '../counts.ts'
import { readWorkload, type Reading } from '../reading.ts'
import type { Rules } from '../rules.ts'
import { wallClock } from '../schedule/zone.ts'
import { Unreadable } from '../state-codec.ts'
import type { Workload } from '../workload.ts'
import { allow, holdOn, refuse, unchecked, type Judgement } from './judgement.ts'
import { about, toSend } from './messages.ts'

/** Whether somebody may scale `workload`, as it is right now, to `replicas` through the scale subresource. */
export function judgeScale(workload: Workload, replicas: number, now: Instant, rules: Rules): Judgement {
  if (replicas === workload.replicas) return allow('no_count_change')
  const reading = readWorkload(workload, rules)
  if (reading instanceof Unreadable) return allow('unreadable', unchecked(workload, reading))
  if (reading.enabled !== true) return allow('not_managed')
  const hold = holdOn(reading, now)
  if (hold) return refuse(workload, hold)
  if (!reading.state.asleep || replicas === 0) return allow('free')
  const kept = keptCount(reading)
  return allow('manual_wake', ...(replicas < kept ? belowKept(reading, replicas, kept, now, rules) : []))
}

/** A hand never lowers the kept count by waking (design, section 2). */
function belowKept(reading: Reading, replicas: number, kept: number, now: Instant, rules: Rules): string[] {
  const { workload, schedule } = reading
  const end = earliest(schedule?.nextEdge(now)?.at, wakeHold(reading, now, rules).hold)
  const until = end === undefined ? '' : ` until ${wallClock(end, reading.zone)}`
  return [
    about(workload, `is awake with ${replicas}${until}; ${kept} are kept`),
    toSend(workload, `to get ${kept} now,`, 'POST', 'wake'),
  ]
}
