import type { Clock, Instant } from '../clock.ts'
import type { Decision } from '../domain/decision.ts'
import { planFailure, planStep, type Step } from '../domain/operation.ts'
import type { Rules } from '../domain/rules.ts'
import { keyOf, type Workload, type WorkloadKey } from '../domain/workload.ts'
import { Refusal } from '../errors.ts'
import type { Logger } from '../logger.ts'
import type { LastKnownMarks } from './last-known-marks.ts'
import type { Priority, Scalings, Stopping, Writer } from './ports.ts'
import type { Due, Failure } from './retries.ts'

/** What there is to do about a workload, and when to look at it again if nothing happens before. */
export interface Evaluation {
  /** undefined: there is nothing to do. */
  readonly due: Due | undefined
  readonly lookAgainAt: Instant | undefined
}

/** How a reconcile went. */
export type Outcome =
  | {
      readonly type: 'done'
      /** The workload as it was written, or as it was found. */
      readonly workload: Workload
      /** What moved it; undefined: nothing did. */
      readonly moved: Decision | undefined
      readonly wrote: boolean
    }
  | {
      readonly type: 'failed'
      readonly why: Failure
      /** What it set out to write; undefined: it did not come so far. */
      readonly tried: Due | undefined
    }

interface ReconcilerPorts {
  readonly writer: Writer
  readonly scalings?: Scalings | undefined
  readonly clock: Clock
  readonly logger: Logger
}

/** Brings one workload to what is wanted of it: first an evaluation, without I/O; then, if need be, one patch. */
export class Reconciler {
  readonly #ports: ReconcilerPorts
  readonly #rules: Rules
  readonly #marks: LastKnownMarks

  constructor(ports: ReconcilerPorts, rules: Rules, marks: LastKnownMarks) {
    this.#ports = ports
    this.#rules = rules
    this.#marks = marks
  }

  evaluate(workload: Workload): Evaluation {
    const { change, decision } = this.#plan(workload)
    return { due: change && dueOf(decision), lookAgainAt: decision.lookAgainAt }
  }

  /** Writes what is due, decided on the newest copy. Rejects with nothing but a fault of ours. */
  async reconcile(key: WorkloadKey, priority: Priority, stopping: Stopping = {}): Promise<Outcome> {
    const { writer, logger } = this.#ports
    let decided: Decision | undefined
    // Of the first plan, which is the one that the copy at hand led to: a live one may differ again and again.
    let tried: Due | undefined
    const plan = (workload: Workload) => {
      const planned = this.#plan(workload)
      decided = planned.decision
      tried ??= dueOf(decided)
      return planned
    }
    try {
      const { plan: planned, workload, wrote } = await writer.write(key, plan, { priority, ...stopping })
      const { decision } = planned
      const moved = wrote && decision.action !== 'none' ? decision : undefined
      if (moved) {
        const { action, trigger, reason } = moved
        logger.info({ workload: keyOf(key), action, trigger, reason: reason.code }, reason.text)
      }
      return { type: 'done', workload, moved, wrote }
    } catch (error) {
      const done = await this.#failed(key, error, decided, stopping)
      return typeof done === 'string' ? { type: 'failed', why: done, tried } : done
    }
  }

  #plan(workload: Workload): Step {
    const { clock, scalings } = this.#ports
    const scaledBy = scalings?.scaledBy(workload)
    const attributed = scaledBy === undefined ? workload : { ...workload, scaledBy }
    return planStep(attributed, clock(), this.#rules, this.#marks.of(workload))
  }

  async #failed(
    key: WorkloadKey,
    error: unknown,
    decision: Decision | undefined,
    stopping: Stopping,
  ): Promise<Outcome | Failure> {
    if (stopping.signal?.aborted) return 'unavailable'
    const why = this.#failure(key, error)
    if (why !== 'refused' || !decision) return why
    try {
      return (await this.#writeFailure(key, decision, stopping)) ?? why
    } catch (again) {
      return this.#failure(key, again)
    }
  }

  /** So that the workload itself says that the cluster refused, and until when its backoff lasts. */
  async #writeFailure(
    key: WorkloadKey,
    decision: Decision,
    stopping: Stopping,
  ): Promise<Outcome | undefined> {
    const { writer, clock } = this.#ports
    const plan = (workload: Workload) => ({
      change: planFailure(workload, decision, clock(), this.#rules, this.#marks.of(workload)),
    })
    const { workload, wrote } = await writer.write(key, plan, { priority: 'completion', ...stopping })
    return wrote ? { type: 'done', workload, moved: undefined, wrote } : undefined
  }

  #failure(key: WorkloadKey, error: unknown): Failure {
    if (!(error instanceof Refusal)) throw error
    const { logger } = this.#ports
    const { code, details, message } = error
    const workload = keyOf(key)
    if (code !== 'CLUSTER_REJECTED') logger.info({ workload, code }, message)
    else logger.warn({ workload, details }, message)
    return code === 'CLUSTER_REJECTED' ? 'refused' : 'unavailable'
  }
}

/** Waking comes first; a write that moves no pods comes last. */
function dueOf(decision: Decision): Due {
  if (decision.action === 'none' || decision.action === 'adopt')
    return { priority: 'completion', dueAt: undefined }
  return { priority: decision.action, dueAt: decision.dueAt }
}
