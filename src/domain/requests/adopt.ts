import type { Instant } from '../../service/process/clock.ts'
import { Refusal } from '../../service/process/errors.ts'
import { keptCount } from '../workload/counts.ts'
import { newIntent } from '../deciding/intent.ts'
import { sleepsSuspended, hasKey } from '../kinds.ts'
import { transition } from '../deciding/operation.ts'
import { withState, type Reading } from '../workload/reading.ts'
import type { Intent } from '../workload/state.ts'
import { counted } from '../text.ts'
import { isRunning } from '../workload/workload.ts'
import type { Context, Outcome } from './handler.ts'

/**
 * Takes over another tool's sleeper with its count: also if a schedule of ours found it at 0 first, and so keeps 0. It
 * stays asleep until the next edge of its schedule. The caller has checked whether a DaemonSet sleeps by the other
 * tool's key.
 * @throws Refusal CONFLICT
 */
export function adopt({ reading, now, by, rules }: Context, count: number): Outcome {
  const { state, workload } = reading
  const replicas = sleepsSuspended(workload.kind) ? Math.min(1, count) : count
  if (state.asleep) {
    const kept = keptCount(reading)
    if (kept === replicas)
      return { target: reading, done: `asleep already, ${counted(kept, 'replica')} kept` }
    // At 0 there is no count to lose, and whatever put it to sleep still applies.
    if (kept > 0)
      throw new Refusal('CONFLICT', `asleep already, and keeps ${kept}: there is nothing to adopt`)
  }
  if (!hasKey(workload.kind) && isRunning(workload))
    throw new Refusal('CONFLICT', 'it runs, and only what sleeps can be adopted: snooze it instead')
  const asked = state.asleep ? reading : withState(reading, { ...state, intent: adoption(reading, by, now) })
  const target = transition(asked, { action: 'snooze', trigger: 'recovery', by, replicas }, now, rules)
  return { target, done: `adopted asleep, ${counted(replicas, 'replica')} kept` }
}

function adoption(reading: Reading, by: string, now: Instant): Intent {
  return newIntent(reading, now, { want: 'asleep', by, trigger: 'api' })
}
