import type { Clock, Instant } from '../process/clock.ts'
import { isTimeless, type Decision } from '../../domain/deciding/decision.ts'
import { afterStep, planFailure, planStep, type Step } from '../../domain/deciding/operation.ts'
import type { Change } from '../../domain/workload/patch.ts'
import type { Rules } from '../../domain/deciding/rules.ts'
import type { Workload } from '../../domain/workload/workload.ts'
import type { Due } from './failures.ts'
import type { LastKnownMarks } from './last-known-marks.ts'
import type { Evaluations } from '../evaluating/ports.ts'
import type { Scalings } from './ports.ts'
import { NEVER } from '../process/timers.ts'

/** Milliseconds that a plan may wait for a worker: its operation is dated when it was planned. */
const PLAN_LIFE_MS = 2000

/** A write that is due, as it was planned. */
export interface Planned extends Due {
  /** The very copy that it was planned on. */
  readonly workload: Workload
  readonly at: Instant
  /** undefined: it is planned again when its turn comes. */
  readonly step: Step | undefined
}

/** The outcome of an evaluation. */
export interface Evaluation {
  /** undefined: there is nothing to write. */
  readonly planned: Planned | undefined
  /** When to evaluate again if nothing changes before. */
  readonly lookAgainAt: Instant | undefined
}

interface PlannerPorts {
  readonly evaluations: Evaluations
  readonly scalings?: Scalings | undefined
  readonly clock: Clock
}

/** Plans what is due of a workload now, without I/O. */
export class Planner {
  readonly #ports: PlannerPorts
  readonly #rules: Rules
  readonly #marks: LastKnownMarks

  constructor(ports: PlannerPorts, rules: Rules, marks: LastKnownMarks) {
    this.#ports = ports
    this.#rules = rules
    this.#marks = marks
  }

  evaluate(workload: Workload): Evaluation {
    const at = this.#ports.clock()
    const step = this.#plan(workload, at)
    const { decision, change } = step
    const planned = change && { ...dueOf(decision), workload, at, step }
    return { planned, lookAgainAt: lookAgainAt(decision) }
  }

  /** The step for this copy: the one that was planned if it was planned on this very copy and just now, else a new one. */
  stepFor(copy: Workload, { workload, at, step }: Planned): Step {
    const now = this.#ports.clock()
    if (!step) return this.#plan(copy, now)
    const { lookAgainAt = Number.POSITIVE_INFINITY } = step.decision
    const stillRight = copy === workload && now >= at && now - at <= PLAN_LIFE_MS && now < lookAgainAt
    return stillRight ? step : this.#plan(copy, now)
  }

  /** The evaluation after a step is written; undefined: evaluate the copy instead. */
  evaluationAfter(step: Step): Evaluation | undefined {
    const decision = afterStep(step, this.#ports.clock(), this.#rules)
    return decision && { planned: undefined, lookAgainAt: lookAgainAt(decision) }
  }

  /** The change that records in the state that the cluster refused this decision. */
  failure(workload: Workload, decision: Decision): Change | undefined {
    return planFailure(workload, decision, this.#ports.clock(), this.#rules, this.#marks.of(workload))
  }

  #plan(workload: Workload, now: Instant): Step {
    const scaledBy = this.#ports.scalings?.scaledBy(workload)
    // Shared evaluations know neither earlier copies nor who scaled.
    if (scaledBy === undefined && this.#marks.isInOrder(workload))
      return this.#ports.evaluations.of(workload).step
    const attributed = scaledBy === undefined ? workload : { ...workload, scaledBy }
    return planStep(attributed, now, this.#rules, this.#marks.of(workload))
  }
}

function lookAgainAt(decision: Pick<Decision, 'lookAgainAt' | 'reason'>): Instant | undefined {
  return isTimeless(decision) ? undefined : (decision.lookAgainAt ?? NEVER)
}

/** Waking comes first; a write that moves no pods comes last. */
export function dueOf(decision: Decision): Due {
  if (decision.action === 'none' || decision.action === 'adopt')
    return { priority: 'completion', dueAt: undefined }
  return { priority: decision.action, dueAt: decision.dueAt }
}
