import type { Instant } from '../clock.ts'
import { decide, overrideInEffect } from './decide.ts'
import { carryOut } from './operation.ts'
import { completed } from './history.ts'
import type { Reading } from './reading.ts'
import { readOrRefuse, refuseOwned } from './refusals.ts'
import type { Rules } from './rules.ts'
import type { OperationType } from './state.ts'
import type { Workload } from './workload.ts'

/** A coming change between awake and asleep; `at` in ISO 8601 UTC. */
export interface Transition {
  at: string
  type: OperationType
  reason: string
}

/** How many decisions to play at most: for the next transition, and for a plan. */
const LOOKS_FOR_NEXT = 64
const LOOKS = 10_000

/**
 * The transitions up to `until` if nobody acts.
 * @throws Refusal INVALID_STATE, OWNED
 */
export function plannedTransitions(
  workload: Workload,
  now: Instant,
  rules: Rules,
  until: Instant,
): Transition[] {
  refuseOwned(workload)
  const reading = completed(readOrRefuse(workload, rules), now, rules.policy)
  if (reading.enabled !== true) return []
  return [...foresee(reading, now, rules, until, LOOKS)]
}

/** The next change between awake and asleep if nobody acts; null while pinned, overridden for good, or unmanaged. */
export function nextTransition(reading: Reading, now: Instant, rules: Rules): Transition | null {
  return foresee(reading, now, rules, Number.POSITIVE_INFINITY, LOOKS_FOR_NEXT).next().value ?? null
}

/** Plays the coming decisions, each at the instant that the one before said to look again. */
function* foresee(
  start: Reading,
  now: Instant,
  rules: Rules,
  until: Instant,
  looks: number,
): Generator<Transition, undefined> {
  if (start.state.pin || overrideInEffect(start, now)?.until === null) return undefined
  let reading = start
  let at: Instant | undefined = now
  for (let look = 0; look < looks && at !== undefined && at <= until; look += 1) {
    const decision = decide(reading, at, rules)
    const { action, reason } = decision
    const after = carryOut(reading, decision, at, rules)
    // A count given back to what is awake already is no transition.
    if (action === 'snooze' || (action === 'wake' && reading.state.asleep)) {
      yield { at: new Date(at).toISOString(), type: action, reason: reason.text }
    }
    reading = completed(after, at, rules.policy)
    const next: Instant | undefined = decide(reading, at, rules).lookAgainAt
    at = next !== undefined && next > at ? next : undefined
  }
  return undefined
}
