import type { Instant } from '../../process/clock.ts'
import { decide } from '../deciding/decide.ts'
import { delayed, foreseenSteps, type Transition } from '../deciding/foresight.ts'
import type { Rules } from '../deciding/rules.ts'
import { situationOf } from '../deciding/situation.ts'
import { readOrRefuse, refuseOwned } from '../requests/refusals.ts'
import type { Workload } from '../workload/workload.ts'

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
  return [...plannedSteps(workload, now, rules, until)].filter((step) => step !== undefined)
}

/**
 * The same, one decision after the other, so that a caller can do something else in between; undefined: a decision
 * that moves nothing.
 * @throws Refusal INVALID_STATE, OWNED
 */
export function* plannedSteps(
  workload: Workload,
  now: Instant,
  rules: Rules,
  until: Instant,
): Generator<Transition | undefined> {
  refuseOwned(workload)
  const start = situationOf(readOrRefuse(workload, rules), now, rules)
  if (start.reading.enabled !== true) return
  let isFirst = true
  for (const step of foreseenSteps(start, until)) {
    yield step && isFirst ? delayed(step, rules.waitOf?.(workload, decide(start), now)) : step
    if (step) isFirst = false
  }
}
