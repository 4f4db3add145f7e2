import type { Instant } from '../../process/clock.ts'
import { isAtRest, type Reading } from '../workload/reading.ts'
import { outweighsSchedule, type OperationType } from '../workload/trigger.ts'
import { decide } from './decide.ts'
import type { Decision, Reason } from './decision.ts'
import { completed } from './history.ts'
import { carryOut } from './operation.ts'
import type { Rules } from './rules.ts'
import { Situation, situationOf } from './situation.ts'
import type { OrderWait } from './order.ts'

/** A coming change between awake and asleep. */
export interface Transition {
  readonly at: Instant
  readonly type: OperationType
  /** Why; words are made for those who read them. */
  readonly reason: Reason
}

/** Milliseconds, two years: calendars may keep a workload as it is for good. */
const FARTHEST = 2 * 366 * 24 * 60 * 60_000
/** How many decisions to simulate at most: for the next transition, and for a plan. */
const DECISIONS_FOR_NEXT = 64
const DECISIONS_FOR_PLAN = 10_000

/** The next transition, of which `wait` is known: then it comes at the latest. */
export function delayed(next: Transition, wait: OrderWait | undefined): Transition {
  return wait ? { ...next, at: wait.until } : next
}

/** The next transition if nobody acts; undefined while it is pinned or permanently overridden. */
export function nextTransition(reading: Reading, now: Instant, rules: Rules): Transition | undefined {
  for (const foreseen of foresee(situationOf(reading, now, rules), now + FARTHEST, DECISIONS_FOR_NEXT)) {
    const step = transitionOf(foreseen)
    if (step) return step
  }
  return undefined
}

/** When Dormouse next changes it at all if nobody acts, be it to give a kept count back; undefined: never. */
export function nextMove(start: Situation): Instant | undefined {
  for (const { at, decision } of foresee(start, start.now + FARTHEST, DECISIONS_FOR_NEXT))
    if (decision.action !== 'none') return at
  return undefined
}

/** The changes up to `until` if nobody acts, one decision after the other; undefined: one that moves nothing. */
export function* foreseenSteps(start: Situation, until: Instant): Generator<Transition | undefined> {
  for (const foreseen of foresee(start, until, DECISIONS_FOR_PLAN)) yield transitionOf(foreseen)
}

/** A decision to come, with the workload before and after it. */
interface Foreseen {
  readonly at: Instant
  readonly decision: Decision
  readonly before: Reading
  /** Made when it is asked for. */
  readonly after: () => Reading
}

/** undefined: it moves nothing. A wake that gives a kept count back to an awake workload is not a transition. */
function transitionOf({ at, decision: { action, reason }, before }: Foreseen): Transition | undefined {
  const isMoved = action === 'snooze' || (action === 'wake' && before.state.asleep)
  return isMoved ? { at, type: action, reason } : undefined
}

/** The workload at a later time, if nobody acts until then. */
export function foreseenAt(start: Situation, at: Instant): Situation {
  let { reading } = start
  for (const { after } of foresee(start, at, DECISIONS_FOR_PLAN)) reading = after()
  return new Situation(completed(reading, at, start.rules.policy), at, start.rules)
}

/** A workload that nobody acts on, from `now` to `until`: each reading of it, and how many milliseconds it lasts. */
export function* foreseenReadings(
  start: Situation,
  until: Instant,
): Generator<{ readonly reading: Reading; readonly lasts: number }> {
  let { reading, now: since } = start
  for (const { at, after } of foresee(start, until, DECISIONS_FOR_PLAN)) {
    yield { reading, lasts: at - since }
    reading = after()
    since = at
  }
  yield { reading, lasts: Math.max(0, until - since) }
}

/** Simulates the next decisions, each at the instant that the one before names. */
function* foresee(start: Situation, until: Instant, atMost: number): Generator<Foreseen, undefined> {
  const { rules, state, override } = start
  if (state.pin || override?.until === null || rules.released?.()) return undefined
  let { reading } = start
  let at: Instant | undefined = start.now
  for (let count = 0; count < atMost && at !== undefined && at <= until; count += 1) {
    const situation = new Situation(reading, at, rules)
    const decision = decide(situation)
    let made: Reading | undefined
    const after = () => (made ??= carryOut(situation, decision))
    yield { at, decision, before: reading, after }
    const settled = completed(after(), at, rules.policy)
    // mostly nothing is due, and the same reading at the same instant is decided the same
    const next: Instant | undefined =
      settled === reading ? decision.lookAgainAt : decide(new Situation(settled, at, rules)).lookAgainAt
    if (settled === reading && sleepsForGood(situation)) return undefined
    reading = settled
    at = next !== undefined && next > at ? next : undefined
  }
  return undefined
}

/**
 * Whether no time moves it: it sleeps, its schedule only puts to sleep, and nothing that holds it ends. Without this the
 * search would go through three months of edges, for each record.
 */
function sleepsForGood(situation: Situation): boolean {
  const { reading, state, now } = situation
  const { autoWake, schedule, awakeUntil } = reading
  if (autoWake || !schedule || !isAtRest(reading)) return false
  const { intent, override, backoff } = state
  const ends = [awakeUntil, intent?.at, intent?.until, intent?.hold, override?.until, backoff?.until]
  if (ends.some((end) => typeof end === 'number' && end > now)) return false
  if (!intent || !outweighsSchedule(intent)) return true
  const edge = situation.hours?.latestEdge
  return edge !== undefined && edge.at > intent.at
}
