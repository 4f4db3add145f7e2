import { without } from '../workload/state.ts'
import { formOf } from '../sleeping/forms.ts'
import { iso } from '../text.ts'
import { follow, type Context, type Outcome } from './handler.ts'
import { hasIts, isNow, leftFor, NOTHING_TO_DO, stays } from './telling.ts'

/** Pins the workload in the state it is in. */
export function pin({ situation, by }: Context): Outcome {
  const { reading, state, workload, counts, now } = situation
  if (state.pin) return { target: reading, says: NOTHING_TO_DO }
  const pinned = state.asleep ? 'snoozed' : 'active'
  const sleeps = situation.isAtRest
  // A DaemonSet that its controller has not counted yet still has the kept count.
  const running = formOf(workload).countInSpec ? workload.replicas : counts.toKeep
  const replicas = sleeps || counts.isLowered ? counts.kept : running
  // It was found running, and a backoff keeps it from going back to sleep: its present count is the one to keep, if it is no lower.
  const kept = state.asleep && state.snoozed ? { snoozed: { ...state.snoozed, replicas } } : {}
  const pin = { state: pinned, replicas, at: now, by } as const
  const { reading: target } = situation.withState({ ...state, ...kept, pin })
  return { target, says: { done: '', would: 'would be' } }
}

export function unpin({ situation, written }: Context): Outcome {
  const { reading, state } = situation
  if (!state.pin) return { target: reading, says: leftFor('not pinned') }
  return { target: follow(situation.withState(without(state, 'pin')), written), says: isNow('unpinned') }
}

/** Turns automatic behaviour off. `duration` in milliseconds; undefined: permanently. */
export function override({ situation, by }: Context, duration: number | undefined): Outcome {
  const { reading, state, now } = situation
  if (situation.override?.until === null && duration === undefined)
    return { target: reading, says: NOTHING_TO_DO }
  const until = duration === undefined ? null : now + duration
  const { reading: target } = situation.withState({ ...state, override: { until, at: now, by } })
  // While it is pinned the reason tells of the pin alone.
  const end = until === null ? 'for good' : `until ${iso(until)}`
  const says = state.pin
    ? isNow(`overridden ${end}, but the pin goes first`)
    : stays(state.asleep ? 'asleep' : 'awake')
  return { target, says }
}

export function clearOverride({ situation, written }: Context): Outcome {
  const { reading, state } = situation
  if (!state.override) return { target: reading, says: leftFor('not overridden') }
  return {
    target: follow(situation.withState(without(state, 'override')), written),
    says: hasIts('override cleared'),
  }
}
