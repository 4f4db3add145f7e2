import { systemMonotonic } from '../process/clock.ts'
import { earliest } from '../../domain/deciding/decision.ts'
import type { Rules } from '../../domain/deciding/rules.ts'
import { isOlder, keyOf, parseKey, type Kind, type Workload } from '../../domain/workload/workload.ts'
import { BudgetWarnings } from './budget-warnings.ts'
import { DelayingQueue, type Job } from './delaying-queue.ts'
import type { HistoryReporter } from './history-reporter.ts'
import type { LastKnownMarks } from './last-known-marks.ts'
import { Outages } from './outages.ts'
import { Planner, type Evaluation, type Planned } from './planner.ts'
import type { Stopping } from '../../kubernetes/ports.ts'
import type { ControllerPorts, ControllerSettings } from './ports.ts'
import { Reconciler, type Done } from './reconciler.ts'
import { isRelevant } from '../../domain/deciding/relevance.ts'
import { inTurns } from '../process/turns.ts'
import { WriteBudget } from './write-budget.ts'

/**
 * Plans that wait for a worker at most. One holds the new state as text and as objects, several KB, and those further
 * back in a wave are too old when their turn comes.
 */
const PLANS_KEPT = 1000

/** What is known of workloads from their earlier copies. */
interface Known {
  readonly marks: LastKnownMarks
  readonly reporter: HistoryReporter
}

/** Evaluate → enqueue → reconcile → when to look again. An evaluation does no I/O; a reconcile sends one patch. */
export class ReconcileLoop {
  readonly #ports: ControllerPorts
  readonly #reporter: HistoryReporter
  readonly #outages: Outages
  readonly #budget: WriteBudget
  readonly #planner: Planner
  readonly #reconciler: Reconciler
  readonly #rules: Rules
  readonly #queue: DelayingQueue<Planned>
  #stopping: Required<Stopping> = { signal: AbortSignal.abort(), cut: AbortSignal.abort() }

  constructor(
    ports: ControllerPorts,
    rules: Rules,
    { concurrency, writesPerWorkload }: ControllerSettings,
    { marks, reporter }: Known,
  ) {
    const { monotonic = systemMonotonic } = ports
    this.#ports = ports
    this.#rules = rules
    this.#reporter = reporter
    this.#outages = new Outages(ports.workloads)
    this.#budget = new WriteBudget(writesPerWorkload)
    this.#planner = new Planner(ports, rules, marks)
    this.#reconciler = new Reconciler(ports, this.#planner)
    const warnings = new BudgetWarnings(ports, this.#budget)
    const handlers = {
      evaluate: (key: string) => this.#evaluateNewest(key),
      work: (job: Job<Planned>) => this.#work(job).catch((error: unknown) => this.failedOver(job.key, error)),
      restsUntil: (_: string, planned: Planned) => warnings.restsUntil(planned.workload, planned),
    }
    this.#queue = new DelayingQueue<Planned>(handlers, { ...ports, monotonic, concurrency })
  }

  /** `stopping` ends what will be in work. */
  open(stopping: Required<Stopping>): void {
    this.#stopping = stopping
    this.#queue.open()
  }

  /** Drops what is due, and resolves when what is in work has ended. */
  async close(): Promise<void> {
    await this.#queue.close()
    this.#outages.clear()
    this.#budget.clear()
  }

  /** A key in work is evaluated afterwards: mostly its own write is the change. */
  workloadChanged(workload: Workload): void {
    if (this.#queue.jobOf(keyOf(workload))) this.#reporter.evaluated(workload)
    else this.#evaluate(workload)
  }

  /** What decides on it beside itself has changed: what a write in flight foresaw is void. */
  inputsChanged(workload: Workload): void {
    const job = this.#queue.jobOf(keyOf(workload))
    if (job) job.void = true
    this.workloadChanged(workload)
  }

  /** The workload no longer exists. */
  drop(workload: Workload): void {
    this.#queue.drop(keyOf(workload))
  }

  /** The watch of a kind broke, or is connected again: then everything that waited for it is written at once. */
  connection(kind: Kind, connected: boolean): void {
    if (!connected) return this.#outages.began(kind)
    const catchUp = (key: string) => {
      this.#queue.reachable(key)
      this.#evaluateNewest(key)
    }
    void inTurns(this.#outages.ended(kind), catchUp, this.#stopping.signal)
  }

  /** A fault of our own over one workload is that workload's alone: it is tried again later, and touches no other. */
  failedOver(key: string, error: unknown): void {
    const { logger, observer } = this.#ports
    logger.error({ workload: key, err: error }, 'the controller failed over a workload')
    observer.decidingFailed()
    this.#queue.failed(key, 'refused', undefined)
  }

  /** Evaluates the informer's copy, unless `found` is newer. `known`: what an evaluation of `found` finds. */
  #evaluateNewest(key: string, found?: Workload, known?: Evaluation): void {
    const copy = this.#ports.workloads.get(parseKey(key))
    if (!copy) return this.#queue.drop(key)
    try {
      if (found?.uid === copy.uid && !isRelevant(found, copy)) this.#evaluate(copy, known)
      // Also of another uid: it was deleted and created again, and the watch has not said so yet.
      else this.#evaluate(found && isOlder(copy, found) ? found : copy)
    } catch (error) {
      this.failedOver(key, error)
    }
  }

  #evaluate(workload: Workload, known?: Evaluation): void {
    const key = keyOf(workload)
    if (this.#outages.defers(workload.kind, key)) return
    this.#reporter.evaluated(workload)
    if (this.#queue.isBlocked(key)) return
    const { planned, lookAgainAt } = known ?? this.#planner.evaluate(workload)
    const decision = planned?.step?.decision
    const wait = decision && this.#rules.waitOf?.(workload, decision, this.#ports.clock())
    this.#queue.addAfter(key, earliest(lookAgainAt, wait?.until))
    if (planned && !wait)
      this.#queue.add(key, this.#queue.depth < PLANS_KEPT ? planned : { ...planned, step: undefined })
    else this.#queue.forget(key)
  }

  async #work(job: Job<Planned>): Promise<void> {
    const { key, task } = job
    const { kind } = task.workload
    if (this.#outages.defers(kind, key)) return this.#queue.failed(key, 'unavailable', task)
    const { signal, cut } = this.#stopping
    const stopping = { signal: AbortSignal.any([signal, this.#outages.signal(kind)]), cut }
    const outcome = await this.#reconciler.reconcile(parseKey(key), task, stopping)
    switch (outcome.type) {
      case 'failed':
        this.#queue.failed(key, outcome.why, outcome.tried)
        if (!signal.aborted) this.#evaluateNewest(key)
        return
      case 'done':
        this.#done(job, outcome)
        if (!signal.aborted)
          this.#evaluateNewest(key, outcome.workload, job.void ? undefined : outcome.evaluation)
    }
  }

  #done({ key, dueSince }: Job<Planned>, { wrote, moved }: Done): void {
    const { observer, monotonic = systemMonotonic } = this.#ports
    if (wrote) this.#budget.wrote(key, moved?.dueAt, monotonic())
    if (moved?.dueAt !== undefined && dueSince !== undefined)
      observer.scheduleLag((monotonic() - dueSince) / 1000)
    this.#queue.succeeded(key)
  }
}
