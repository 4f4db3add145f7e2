import { overrideInEffect } from '../deciding/situation.ts'
import { countsOf } from '../workload/counts.ts'
import { withState } from '../workload/reading.ts'
import { without } from '../workload/state.ts'
import { hasKey } from '../kinds.ts'
import { iso } from '../text.ts'
import { isRunning } from '../workload/workload.ts'
import { follow, type Context, type Outcome } from './handler.ts'

/** Pins the workload in the state it is in. */
export function pin({ reading, by, now }: Context): Outcome {
  const { state, workload } = reading
  if (state.pin) return { target: reading, done: `already pinned ${state.pin.state}` }
  const pinned = state.asleep ? 'snoozed' : 'active'
  const sleeps = state.asleep && !isRunning(workload)
  const counts = countsOf(reading)
  // A DaemonSet that its controller has not counted yet still has the kept count.
  const running = hasKey(workload.kind) ? counts.toKeep : workload.replicas
  const replicas = sleeps || counts.isLowered ? counts.kept : running
  // It was found running, and a backoff keeps it from going back to sleep: its present count is the one to keep, if it is no lower.
  const kept = state.asleep && state.snoozed ? { snoozed: { ...state.snoozed, replicas } } : {}
  const pin = { state: pinned, replicas, at: now, by } as const
  return { target: withState(reading, { ...state, ...kept, pin }), done: `pinned ${pinned}` }
}

export function unpin({ reading, now, rules, written }: Context): Outcome {
  const { state } = reading
  if (!state.pin) return { target: reading, done: 'not pinned' }
  return { target: follow(withState(reading, without(state, 'pin')), now, rules, written), done: 'unpinned' }
}

/** Turns automatic behaviour off. `duration` in milliseconds; undefined: permanently. */
export function override({ reading, by, now }: Context, duration: number | undefined): Outcome {
  const inEffect = overrideInEffect(reading, now)
  if (inEffect && inEffect.until === null && duration === undefined) {
    return { target: reading, done: 'already overridden for good' }
  }
  const until = duration === undefined ? null : now + duration
  const target = withState(reading, { ...reading.state, override: { until, at: now, by } })
  const done = `overridden ${until === null ? 'for good' : `until ${iso(until)}`}`
  const stays = `and it stays ${target.state.asleep ? 'asleep' : 'awake'}`
  return { target, done: `${done}, ${target.state.pin ? 'but the pin goes first' : stays}` }
}

export function clearOverride({ reading, now, rules, written }: Context): Outcome {
  const { state } = reading
  if (!state.override) return { target: reading, done: 'not overridden' }
  return {
    target: follow(withState(reading, without(state, 'override')), now, rules, written),
    done: 'override cleared',
  }
}
