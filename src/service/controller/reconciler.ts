import { causeOfTrigger } from '../../domain/workload/trigger.ts'
import type { Decision } from '../../domain/deciding/decision.ts'
import { keyOf, type Workload, type WorkloadKey } from '../../domain/workload/workload.ts'
import { messageOf, Refusal } from '../../process/errors.ts'
import type { Logger } from '../../process/logger.ts'
import type { Due, FailureReason } from './failures.ts'
import { dueOf, type Planned, type Planner } from './planner.ts'
import type { Recorder, Stopping, Writer } from '../../kubernetes/ports.ts'
import type { Observer } from './ports.ts'

export interface Done {
  readonly type: 'done'
  /** The workload as it was written, or as it was found. */
  readonly workload: Workload
  readonly wrote: boolean
  /** The decision that moved it; undefined: nothing moved. */
  readonly moved: Decision | undefined
}

interface Failed {
  readonly type: 'failed'
  readonly why: FailureReason
  /** The intended write; undefined: nothing was planned yet. */
  readonly tried: Due | undefined
}

/** How a reconcile went. */
type Reconciled = Done | Failed

interface ReconcilerPorts {
  readonly writer: Writer
  readonly recorder: Recorder
  readonly observer: Pick<Observer, 'operation'>
  readonly logger: Logger
}

/** Carries out the due step of one workload, by one patch. */
export class Reconciler {
  readonly #ports: ReconcilerPorts
  readonly #planner: Planner

  constructor(ports: ReconcilerPorts, planner: Planner) {
    this.#ports = ports
    this.#planner = planner
  }

  /** Writes the plan, or the present step if the plan is outdated. Rejects only with a fault of ours. */
  async reconcile(key: WorkloadKey, planned: Planned, stopping: Stopping = {}): Promise<Reconciled> {
    const { writer, logger } = this.#ports
    let decided: Decision | undefined
    // Set by the first step, which is for the present copy: those for live reads may differ each time.
    let tried: Due | undefined
    let sentFor = planned.workload
    const plan = (workload: Workload) => {
      const step = this.#planner.stepFor(workload, planned)
      sentFor = workload
      decided = step.decision
      tried ??= dueOf(decided)
      return step
    }
    try {
      const { priority } = planned
      const { plan: step, workload, wrote } = await writer.write(key, plan, { priority, ...stopping })
      const moved = wrote && step.decision.action !== 'none' ? step.decision : undefined
      if (moved) {
        const { action, trigger, reason } = moved
        logger.info({ workload: keyOf(key), action, trigger, reason: reason.code }, reason.text)
      }
      return { type: 'done', workload, wrote, moved }
    } catch (error) {
      const done = await this.#failed(sentFor, error, decided, stopping)
      return typeof done === 'string' ? { type: 'failed', why: done, tried } : done
    }
  }

  async #failed(
    workload: Workload,
    error: unknown,
    decision: Decision | undefined,
    stopping: Stopping,
  ): Promise<Reconciled | FailureReason> {
    // Also while the watch is down, when a refusal means nothing: retry the key as soon as the cluster is back.
    if (stopping.signal?.aborted) return 'unavailable'
    const why = this.#reasonOf(workload, error)
    if (why !== 'refused' || !decision) return why
    // Any other write would hang or fail there, too.
    if (isOfWebhook(error)) {
      this.#tell(workload, decision, 'The cluster did not take', error)
      return why
    }
    try {
      const done = await this.#writeFailure(workload, decision, saidBy(error), stopping)
      // `HistoryReporter` counts it; what was tried, and all that the cluster said, is here alone.
      if (done) this.#record(workload, decision, 'The cluster refused', error)
      return done ?? why
    } catch (again) {
      if (stopping.signal?.aborted) return 'unavailable'
      const also = this.#reasonOf(workload, again)
      if (also === 'refused') this.#tell(workload, decision, 'The cluster refused any write, so also', error)
      return also
    }
  }

  /** Reports a failure that the history will not contain. */
  #tell(workload: Workload, decision: Decision, what: string, error: unknown): void {
    const { action, trigger } = decision
    if (action !== 'snooze' && action !== 'wake') return
    this.#record(workload, decision, what, error)
    this.#ports.observer.operation(action, trigger, workload.kind, 'failed')
  }

  /** An Event with the reason of a failure. */
  #record(workload: Workload, { action, trigger }: Decision, what: string, error: unknown): void {
    if (action !== 'snooze' && action !== 'wake') return
    const reason = action === 'snooze' ? 'SnoozeFailed' : 'WakeFailed'
    const message = `${what} the ${action === 'snooze' ? 'sleep' : 'wake'} ${causeOfTrigger(trigger)}: ${messageOf(error)}`
    this.#ports.recorder.record(workload, 'Warning', reason, message)
  }

  /** Records in the state that the cluster refused, and the end of the backoff. */
  async #writeFailure(
    key: WorkloadKey,
    decision: Decision,
    message: string,
    stopping: Stopping,
  ): Promise<Reconciled | undefined> {
    const plan = (workload: Workload) => ({ change: this.#planner.failure(workload, decision, message) })
    const options = { priority: 'completion', ...stopping } as const
    const { workload, wrote } = await this.#ports.writer.write(key, plan, options)
    return wrote ? { type: 'done', workload, wrote, moved: undefined } : undefined
  }

  #reasonOf(key: WorkloadKey, error: unknown): FailureReason {
    if (!(error instanceof Refusal)) throw error
    const { logger } = this.#ports
    const { code, details, message } = error
    const workload = keyOf(key)
    const refused = code === 'CLUSTER_REJECTED' || isOfWebhook(error)
    if (refused) logger.warn({ workload, details }, message)
    else logger.info({ workload, code }, message)
    return refused ? 'refused' : 'unavailable'
  }
}

/** The cluster's own words in a refusal. */
function saidBy(error: unknown): string {
  const said = error instanceof Refusal ? error.details['message'] : undefined
  return typeof said === 'string' ? said : messageOf(error)
}

/** Whether an admission webhook hangs or fails for this workload; the cluster itself may be fine. */
function isOfWebhook(error: unknown): boolean {
  return error instanceof Refusal && error.details['webhook'] === true
}
