import { Refusal } from '../../service/process/errors.ts'
import { newIntent } from '../deciding/intent.ts'
import { sleepsSuspended, hasKey } from '../kinds.ts'
import { transition } from '../deciding/operation.ts'
import { counted } from '../text.ts'
import type { Context, Outcome } from './handler.ts'

/**
 * Takes over another tool's sleeper with its count: also if a schedule of ours found it at 0 first, and so keeps 0. It
 * stays asleep until the next edge of its schedule. The caller has checked whether a DaemonSet sleeps by the other
 * tool's key.
 * @throws Refusal CONFLICT
 */
export function adopt({ situation, by }: Context, count: number): Outcome {
  const { reading, state, workload } = situation
  const replicas = sleepsSuspended(workload.kind) ? Math.min(1, count) : count
  if (state.asleep) {
    const { kept } = situation.counts
    if (kept === replicas)
      return { target: reading, done: `asleep already, ${counted(kept, 'replica')} kept` }
    // At 0 there is no count to lose, and whatever put it to sleep still applies.
    if (kept > 0)
      throw new Refusal('CONFLICT', `asleep already, and keeps ${kept}: there is nothing to adopt`)
  }
  if (!hasKey(workload.kind) && situation.isRunning)
    throw new Refusal('CONFLICT', 'it runs, and only what sleeps can be adopted: snooze it instead')
  const intent = newIntent(situation, { want: 'asleep', by, trigger: 'api' })
  const asked = state.asleep ? situation : situation.withState({ ...state, intent })
  const target = transition(asked, { action: 'snooze', trigger: 'recovery', by, replicas })
  return { target, done: `adopted asleep, ${counted(replicas, 'replica')} kept` }
}
