import type { Clock, Instant } from '../../process/clock.ts'
import type { Decision } from '../../domain/deciding/decision.ts'
import { planFailure, planStep, type Step } from '../../domain/deciding/operation.ts'
import type { Change } from '../../domain/workload/change.ts'
import type { Rules } from '../../domain/deciding/rules.ts'
import type { Workload } from '../../domain/workload/workload.ts'
import type { Due } from './failures.ts'
import type { LastKnownMarks } from './last-known-marks.ts'
import type { Evaluations } from '../evaluating/ports.ts'
import type { Scalings } from './ports.ts'

/** Milliseconds that a plan may wait for a worker: its operation is dated when it was planned. */
const PLAN_LIFE_MS = 2000

/** A write that is due, as it was planned. */
export interface Planned extends Due {
  /** The very copy that it was planned on. */
  readonly workload: Workload
  readonly at: Instant
  /** undefined: it is planned again when its turn comes. */
  readonly step: Step | undefined
  /** When it waits no longer for those that wake before it; undefined: it waits for none. */
  readonly waitsUntil?: Instant | undefined
}

interface PlannerPorts {
  readonly evaluations: Evaluations
  readonly scalings?: Scalings | undefined
  readonly clock: Clock
}

/** Plans the due step of a workload, without I/O. */
export class Planner {
  readonly #ports: PlannerPorts
  readonly #rules: Rules
  readonly #marks: LastKnownMarks

  constructor(ports: PlannerPorts, rules: Rules, marks: LastKnownMarks) {
    this.#ports = ports
    this.#rules = rules
    this.#marks = marks
  }

  /** undefined: there is nothing to write. `isShared`: the evaluations notice when time alone changes it. */
  evaluate(workload: Workload): (Planned & { readonly step: Step; readonly isShared: boolean }) | undefined {
    const at = this.#ports.clock()
    const { step, isShared } = this.#plan(workload, at)
    return step.isDue ? { ...dueOf(step.decision), workload, at, step, isShared } : undefined
  }

  /** The step for this copy: the one that was planned if it was planned on this very copy and just now, else a new one. */
  stepFor(copy: Workload, { workload, at, step }: Planned): Step {
    const now = this.#ports.clock()
    if (!step) return this.#plan(copy, now).step
    const { lookAgainAt = Number.POSITIVE_INFINITY } = step.decision
    const isInTime = now >= at && now - at <= PLAN_LIFE_MS && now < lookAgainAt
    const stillRight = copy === workload && isInTime && step.isSignedBy(this.#rules.keyring?.())
    return stillRight ? step : this.#plan(copy, now).step
  }

  /** The change that records in the state that the cluster refused this decision, in the cluster's words. */
  failure(workload: Workload, decision: Decision, message: string): Change | undefined {
    const { clock } = this.#ports
    return planFailure(workload, decision, clock(), this.#rules, this.#marks.of(workload), message)
  }

  #plan(workload: Workload, now: Instant): { readonly step: Step; readonly isShared: boolean } {
    const scaledBy = this.#ports.scalings?.scaledBy(workload)
    // Shared evaluations know neither earlier copies nor who scaled.
    if (scaledBy === undefined && this.#marks.isInOrder(workload))
      return { step: this.#ports.evaluations.of(workload).step, isShared: true }
    const attributed = scaledBy === undefined ? workload : { ...workload, scaledBy }
    const step = planStep(attributed, now, this.#rules, this.#marks.of(workload))
    return { step, isShared: false }
  }
}

/** Waking comes first; a write that moves no pods comes last. */
export function dueOf(decision: Decision): Due {
  if (decision.action === 'none' || decision.action === 'adopt')
    return { priority: 'completion', dueAt: undefined }
  return { priority: decision.action, dueAt: decision.dueAt }
}
