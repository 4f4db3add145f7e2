import type { Clock } from '../../src/process/clock.ts'
import { planStep } from '../../src/domain/deciding/operation.ts'
import type { Rules } from '../../src/domain/deciding/rules.ts'
import { Evaluations } from '../../src/service/evaluating/evaluations.ts'

/** Evaluations without timers: an outdated one is made again when it is needed. */
export function evaluationsOf(rules: Rules, clock: Clock, plan = planStep): Evaluations {
  const workloads = { get: () => undefined, list: () => [] }
  return new Evaluations({ workloads, rules, clock, plan, due: () => {} })
}
