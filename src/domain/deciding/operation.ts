import type { Instant } from '../../process/clock.ts'
import { afterFailure, afterOperation, withBackoffCut } from './backoff.ts'
import { changeBetween, changed, type Change } from '../workload/change.ts'
import { decide } from './decide.ts'
import { because, noAction, type Decision } from './decision.ts'
import { decisionTime } from './decision-time.ts'
import { withOperation } from './history.ts'
import { formOf, isFollowed } from '../sleeping/forms.ts'
import { lostCount, withMarksRestored, type LastKnown } from '../workload/last-known.ts'
import { withoutRequest } from '../workload/marks.ts'
import { withoutMissedRuns } from './missed-runs.ts'
import { shortened } from '../workload/trouble.ts'
import { floorOf, losesMore, readWorkload, withState, type Reading } from '../workload/reading.ts'
import type { Rules } from './rules.ts'
import { situationOf, type Situation } from './situation.ts'
import { LAST_COUNTER, Unreadable } from '../workload/state-codec.ts'
import { REPAIR } from '../workload/explanation.ts'
import {
  cleared,
  EMPTY_STATE,
  heldBy,
  without,
  withoutPending,
  withRest,
  type Operation,
  type State,
  type Woken,
} from '../workload/state.ts'
import type { Keyring } from '../workload/tag.ts'
import { currentReplicas, HELD_LABEL, podsFollowed, type Workload } from '../workload/workload.ts'

interface StepParts {
  readonly decision: Decision
  readonly read?: Reading
  readonly target?: Reading
  readonly isDue?: boolean
  readonly change?: (() => Change | undefined) | undefined
}

/** A decision, and the change that carries it out in one patch, which is made when somebody asks for it. */
export class Step {
  readonly decision: Decision
  /** The workload as it was read for this; undefined: it could not be. */
  readonly read: Reading | undefined
  /** The workload once the change is written; undefined: there is none to write. */
  readonly target: Reading | undefined
  readonly #isDue: boolean
  readonly #make: () => Change | undefined
  #made: { readonly change: Change | undefined } | undefined

  /** `isDue`: it is known that there is a change. */
  constructor({ decision, read, target, isDue = false, change = () => undefined }: StepParts) {
    this.decision = decision
    this.read = read
    this.target = target
    this.#isDue = isDue
    this.#make = change
  }

  /** undefined: nothing to write. */
  get change(): Change | undefined {
    this.#made ??= { change: this.#make() }
    return this.#made.change
  }

  /** Whether there is something to write; mostly known without the texts of the change. */
  get isDue(): boolean {
    return this.#isDue || this.change !== undefined
  }

  /** Whether it would be planned the same by these keys of states: the first one comes when workloads are known already. */
  isSignedBy(keyring: Keyring | undefined): boolean {
    return this.read === undefined || this.read.keyring === keyring
  }
}

type Move = Pick<Decision, 'action' | 'trigger' | 'by' | 'replicas' | 'kept' | 'intent' | 'dueAt'>

/** The controller's next step for a workload, given its last known marks; `earlier`: as in `readWorkload`. */
export function planStep(
  workload: Workload,
  clock: Instant,
  rules: Rules,
  known?: LastKnown,
  earlier?: Reading,
): Step {
  const count = lostCount(workload, known)
  if (count !== undefined) return givingBack(count)
  // A request that is stored has passed no webhook: nobody knows who made it, so it is never carried out.
  const restored = withoutRequest(withMarksRestored(workload, known, rules))
  const read = readWorkload(restored, rules, earlier)
  if (read instanceof Unreadable) return new Step({ decision: leftAlone(workload, read) })
  const situation = situationOf(signedAnew(read, clock), clock, rules)
  const { reading } = situation
  const decision = decide(situation)
  // Its key is looked for; what it says now is not what it will say.
  const isUnclear = read.trust === 'unclear'
  if (workload.deleting || !reading.isSettled || isUnclear) return new Step({ decision, read })
  const target = carryOut(situation, decision)
  const untouched = target === reading && reading === read && restored === workload
  const isSettled = untouched && reading.enabled !== true && hasRightHold(reading)
  // A state that has to be written has another text, since each write counts, up to the last counter.
  const isDue = target.state !== (target.written ?? EMPTY_STATE) && target.state.counter < LAST_COUNTER
  const change = isSettled ? undefined : () => changeBetween(workload, target)
  return new Step({ decision, read, target, isDue: isDue && !isSettled, change })
}

/**
 * The reading with a state that has to be written, where it is to be signed. Where marks were lost by that, its history
 * says so.
 */
function signedAnew(read: Reading, clock: Instant): Reading {
  const { state, trust, workload } = read
  if (trust === undefined || trust === 'unclear') return read
  if (trust === 'renew' || !losesMore(workload, read)) return withState(read, { ...state })
  const operation: Operation = {
    type: state.asleep ? 'snooze' : 'wake',
    trigger: 'unsigned',
    at: decisionTime(state, clock),
    replicas: currentReplicas(workload),
    duration: 0,
    by: null,
    result: 'succeeded',
  }
  return withState(read, withOperation(state, operation))
}

/** Whether the label agrees with the hold: unmanaged workloads may be held, and an upgrade brings no labels. */
function hasRightHold({ workload: { labels }, state }: Reading): boolean {
  return labels?.[HELD_LABEL] === heldBy(state)
}

/** Restores the count alone, since marks might be dropped again. */
function givingBack(replicas: number): Step {
  const text = `an admission webhook dropped the annotations and the label that kept its count: it gets its ${replicas} back`
  const reason = because('recovery', () => text)
  const decision: Decision = { action: 'wake', trigger: 'recovery', by: null, replicas, reason }
  return new Step({ decision, change: () => ({ annotations: {}, replicas }) })
}

/** A workload with an unreadable state waits for its repair. */
function leftAlone({ replicas }: Workload, { message, fault }: Unreadable): Decision {
  return {
    ...noAction('invalid_state', () => message, { values: { fault }, remedy: REPAIR }),
    trigger: 'schedule',
    by: null,
    replicas,
  }
}

/** The workload after a decision; the same reading if nothing changes. */
export function carryOut(situation: Situation, decision: Decision): Reading {
  const { reading } = situation
  let { state } = reading
  if (reading.enabled === true || (reading.enabled === false && state.asleep)) state = tidied(situation)
  if (decision.overrideExpired) state = without(state, 'override')
  if (decision.startsBackoff) state = { ...state, backoff: decision.startsBackoff }
  if (decision.intent) state = { ...state, intent: decision.intent }
  const found = situation.withState(state)
  const next = decision.rests ? restingAnew(found) : transition(found, decision)
  const after = decision.cleared ? withState(next, cleared(next.state)) : next
  return after.state === reading.state ? reading : after
}

/** The same sleep with the count of the present settings. */
function restingAnew({ reading, counts }: Situation): Reading {
  const { state, workload } = reading
  const floor = floorOf(reading)
  const snoozed = state.snoozed && { snoozed: withRest(state.snoozed, floor) }
  const moved = scaled(workload, false, Math.min(floor, counts.kept))
  return { ...reading, workload: moved, state: { ...state, ...snoozed } }
}

/** Cuts a backoff that ends too late, and drops a kept count that somebody has replaced. */
function tidied({ state, now, rules, counts }: Situation): State {
  const cut = withBackoffCut(state, now, rules.policy)
  const { asleep, woken } = cut
  const replaced = !asleep && woken?.kept !== undefined && counts.toGiveBack === undefined
  return replaced ? { ...cut, woken: withoutKept(woken) } : cut
}

function withoutKept({ kept: _kept, set: _set, ...woken }: Woken): Woken {
  return woken
}

/** Puts to sleep, wakes or adopts, once the reading is completed; a decision that does nothing returns the same reading. */
export function transition(situation: Situation, decision: Move): Reading {
  const { reading, now, rules } = situation
  if (decision.action === 'none') return reading
  const state = withoutPending(reading.state)
  const { trigger, by, action, kept } = decision
  const isKedas = action === 'wake' && situation.looksAsleep && situation.keda.decides
  const replicas = isKedas ? reading.workload.replicas : decision.replicas
  const type = action === 'snooze' ? 'snooze' : 'wake'
  const at = isTaken(state, type, now) ? now + 1 : now
  const target = action === 'snooze' ? situation.countAsleep(replicas) : replicas
  const moved = action === 'adopt' ? reading.workload : scaled(reading.workload, action === 'wake', target)
  const asleepSince = state.snoozed?.at
  const workload = withoutMissedRuns(reading.workload, moved, { ...decision, asleepSince }, now)
  // Nobody has followed a value that this very write sets; that of an annotation makes no new generation.
  const isMoved = moved !== reading.workload && isFollowed(workload)
  const unmoved = !isMoved && podsFollowed(workload)
  const operation: Operation = {
    type,
    trigger,
    at,
    replicas: target,
    by,
    ...(unmoved
      ? { duration: 0, result: 'succeeded' }
      : { duration: null, result: 'running', generation: workload.generation }),
  }
  const marked: State =
    action === 'snooze'
      ? {
          ...state,
          asleep: true,
          snoozed: withRest({ at, replicas, trigger, by }, floorOf(reading)),
          ...(state.woken ? { woken: withoutKept(state.woken) } : {}),
        }
      : {
          ...state,
          asleep: false,
          woken: { at, ...(kept === undefined ? {} : { kept, set: replicas }) },
        }
  return { ...reading, workload, state: afterOperation(withOperation(marked, operation), now, rules.policy) }
}

/** Type and time identify an operation, even if a clock that is ahead dated the one before. */
function isTaken({ history }: State, type: Operation['type'], at: Instant): boolean {
  return history.some((operation) => operation.type === type && operation.at === at)
}

/**
 * The cluster refused `decision`, with this message: writes that to the history, starts a backoff, and changes nothing
 * else.
 */
export function planFailure(
  workload: Workload,
  decision: Decision,
  clock: Instant,
  rules: Rules,
  known?: LastKnown,
  message = '',
): Change | undefined {
  const read = readWorkload(withMarksRestored(workload, known, rules), rules)
  const { action, trigger, by } = decision
  if (read instanceof Unreadable || action === 'none' || action === 'adopt') return undefined
  const situation = situationOf(read, clock, rules)
  const { reading, now } = situation
  const [newest, ...older] = reading.state.history
  const again = newest?.result === 'failed' && newest.type === action
  const state = again ? { ...reading.state, history: older } : reading.state
  const { replicas: wanted } = decision
  const replicas = action === 'snooze' ? situation.countAsleep(wanted) : wanted
  const failed: Operation = { type: action, trigger, at: now, replicas, duration: 0, by, result: 'failed' }
  const backedOff = afterFailure(withOperation(state, failed), now, shortened(message))
  return changeBetween(workload, withState(reading, backedOff))
}

function scaled(workload: Workload, wake: boolean, replicas: number): Workload {
  const move = formOf(workload).move(workload, wake, replicas)
  return move ? changed(workload, { annotations: {}, ...move }) : workload
}
