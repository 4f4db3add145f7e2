import type { Instant } from '../clock.ts'
import { afterFailure, afterOperation } from './backoff.ts'
import { decide, type Decision } from './decision.ts'
import { finishedOperation, withOperation, withResult } from './history.ts'
import type { Change } from './patch.ts'
import { changeBetween, readWorkload, withState, type Reading } from './reading.ts'
import type { Rules } from './rules.ts'
import type { Operation, State } from './state.ts'
import { podsFollowed, type Workload } from './workload.ts'

/** A decision and the one patch that carries it out; `change` undefined: nothing to write. */
export interface Step {
  readonly decision: Decision
  readonly change: Change | undefined
}

type Transition = Pick<Decision, 'action' | 'trigger' | 'by' | 'replicas'>

/**
 * What the controller does about a workload now.
 * @throws UnreadableState
 */
export function planStep(workload: Workload, now: Instant, rules: Rules): Step {
  const reading = readWorkload(workload, rules)
  const decision = decide(reading, now, rules)
  const target = carryOut(reading, decision, now, rules)
  const untouched = target === reading && (workload.deleting || reading.enabled !== true)
  return {
    decision,
    change: untouched ? undefined : changeBetween(workload, target),
  }
}

/** What the workload becomes by a decision; a decision that changes nothing returns the same reading. */
export function carryOut(reading: Reading, decision: Decision, now: Instant, rules: Rules): Reading {
  let { state } = reading
  if (decision.finished) state = withResult(state, decision.finished, now)
  if (decision.overrideExpired) state = without(state, 'override')
  if (decision.intent) state = { ...state, intent: decision.intent }
  const next = transition(withState(reading, state), decision, now, rules)
  const after = decision.cleared
    ? withState(next, without(next.state, 'pin', 'override', 'intent', 'backoff'))
    : next
  return after.state === reading.state && after.workload === reading.workload ? reading : after
}

/** Puts to sleep, wakes or adopts; a decision to hold returns the same reading. */
export function transition(reading: Reading, decision: Transition, now: Instant, rules: Rules): Reading {
  if (decision.action === 'hold') return reading
  const { trigger, by, replicas, action } = decision
  const workload =
    action === 'adopt' ? reading.workload : scaled(reading.workload, action === 'wake', replicas)
  const unmoved = workload === reading.workload && podsFollowed(workload)
  const operation: Operation = {
    type: action === 'snooze' ? 'snooze' : 'wake',
    trigger,
    at: now,
    replicas: action === 'snooze' ? 0 : replicas,
    ...(unmoved ? { duration: 0, result: 'succeeded' } : { duration: null, result: 'running' }),
    by,
  }
  const finished = finishedOperation(reading, now, rules.policy)
  const before = finished ? withResult(reading.state, finished, now) : reading.state
  const marked: State =
    action === 'snooze'
      ? { ...before, asleep: true, snoozed: { at: now, replicas, trigger, by } }
      : { ...before, asleep: false, wokenAt: now }
  return { ...reading, workload, state: afterOperation(withOperation(marked, operation), now, rules.policy) }
}

/** The cluster refused `decision`: what history and backoff remember of it, and nothing else. */
export function planFailure(
  workload: Workload,
  decision: Decision,
  now: Instant,
  rules: Rules,
): Change | undefined {
  const reading = readWorkload(workload, rules)
  const { action, trigger, by } = decision
  if (action === 'hold' || action === 'adopt') return undefined
  const [newest, ...older] = reading.state.history
  const again = newest?.result === 'failed' && newest.type === action
  const state = again ? { ...reading.state, history: older } : reading.state
  const replicas = action === 'snooze' ? 0 : decision.replicas
  const failed: Operation = { type: action, trigger, at: now, replicas, duration: 0, by, result: 'failed' }
  return changeBetween(workload, withState(reading, afterFailure(withOperation(state, failed), now)))
}

export function without(state: State, ...names: ('pin' | 'override' | 'intent' | 'backoff')[]): State {
  if (names.every((name) => state[name] === undefined)) return state
  const gone: readonly string[] = names
  return Object.fromEntries(
    Object.entries(state).filter(([name]) => !gone.includes(name)),
  ) as unknown as State
}

function scaled(workload: Workload, wake: boolean, replicas: number): Workload {
  if (workload.kind === 'daemonsets')
    return workload.snoozeKey === !wake ? workload : moved({ ...workload, snoozeKey: !wake })
  const target = wake ? replicas : 0
  return workload.replicas === target ? workload : moved({ ...workload, replicas: target })
}

/** A spec that changed has a new generation, which no status has seen. */
function moved(workload: Workload): Workload {
  return { ...workload, generation: workload.generation + 1 }
}
