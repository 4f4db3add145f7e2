import type { Instant } from '../../src/process/clock.ts'
import { decide } from '../../src/domain/deciding/decide.ts'
import type { Decision } from '../../src/domain/deciding/decision.ts'
import { situationOf } from '../../src/domain/deciding/situation.ts'
import { planStep } from '../../src/domain/deciding/operation.ts'
import { type Change, changed } from '../../src/domain/workload/change.ts'
import type { Request } from '../../src/domain/requests/operations.ts'
import { planRequest, type Plan } from '../../src/domain/requests/request.ts'
import type { Rules } from '../../src/domain/deciding/rules.ts'
import { EMPTY_STATE, type State } from '../../src/domain/workload/state.ts'
import type { Workload } from '../../src/domain/workload/workload.ts'
import { contradictionOf } from '../../src/domain/deciding/other-writer.ts'
import { readWorkload } from '../../src/domain/workload/reading.ts'
import { decoded, read } from './readable.ts'
import { RULES } from './rules.ts'

export interface Stepped {
  decision: Decision
  change: Change | undefined
  after: Workload
  state: State
}

export interface Asked extends Plan {
  state: State
}

export function decided(workload: Workload, now: Instant, rules: Rules = RULES): Decision {
  return decide(situationOf(read(workload, rules), now, rules))
}

/** One evaluation by the controller, and the workload after its write. */
export function stepped(workload: Workload, now: Instant, rules: Rules = RULES): Stepped {
  const { decision, change } = planStep(workload, now, rules)
  const after = change ? changed(workload, change) : workload
  return { decision, change, after, state: stateOf(after) }
}

/** A request's plan; by k8s:carol unless `by` says otherwise. */
export function asked(
  workload: Workload,
  request: Request,
  now: Instant,
  { by = 'k8s:carol', rules = RULES }: { by?: string; rules?: Rules } = {},
): Asked {
  const plan = planRequest(workload, request, by, now, rules)
  return { ...plan, state: stateOf(plan.after) }
}

/** The decision that another's change of a workload contradicts. */
export function contradiction(before: Workload, after: Workload, now: Instant, rules: Rules = RULES) {
  const evaluated = (copy: Workload) => ({
    reading: readWorkload(copy, rules),
    step: planStep(copy, now, rules),
  })
  return contradictionOf(before, after, evaluated, now, rules)
}

export function stateOf({ annotations }: Workload): State {
  return annotations.state === undefined ? EMPTY_STATE : decoded(annotations)
}

/** The same workload after its pods have followed its spec. */
export function followed(workload: Workload): Workload {
  const count = workload.snoozeKey === undefined ? workload.replicas : 0
  return { ...workload, pods: { existing: count, ready: count, observedGeneration: workload.generation } }
}
