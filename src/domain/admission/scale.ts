import type { Instant } from '../../clock.ts'
import { readWorkload, type Reading } from '../reading.ts'
import type { Rules } from '../rules.ts'
import { UnreadableState } from '../state-codec.ts'
import type { Workload } from '../workload.ts'
import { allow, holdOn, refuse, type Judgement } from './judgement.ts'

/** Whether somebody may scale `workload`, as it is right now, to `replicas` through the scale subresource. */
export function judgeScale(workload: Workload, replicas: number, now: Instant, rules: Rules): Judgement {
  if (replicas === workload.replicas) return allow('no_count_change')
  let reading: Reading
  try {
    reading = readWorkload(workload, rules)
  } catch (error) {
    if (error instanceof UnreadableState)
      return allow('unreadable', `Dormouse did not check this: ${error.message}`)
    throw error
  }
  if (reading.enabled !== true) return allow('not_managed')
  const hold = holdOn(reading, now)
  if (hold) return refuse(hold)
  return allow(reading.state.asleep && replicas > 0 ? 'manual_wake' : 'free')
}
