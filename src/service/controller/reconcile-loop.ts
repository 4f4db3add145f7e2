import { LONGEST_SLEEP, systemMonotonic, type Monotonic } from '../../process/clock.ts'
import type { Rules } from '../../domain/deciding/rules.ts'
import { isOlder, keyOf, parseKey, type Kind, type Workload } from '../../domain/workload/workload.ts'
import { DelayingQueue, type Job } from './delaying-queue.ts'
import type { HistoryReporter } from './history-reporter.ts'
import type { LastKnownMarks } from './last-known-marks.ts'
import { Outages } from './outages.ts'
import { Planner, type Planned } from './planner.ts'
import type { Stopping } from '../../kubernetes/ports.ts'
import type { ControllerPorts, ControllerSettings } from './ports.ts'
import { Reconciler, type Done } from './reconciler.ts'
import { inTurns } from '../../process/turns.ts'
import { WriteBudget } from './write-budget.ts'

/**
 * The most plans that wait for a worker. One holds the state of its workload as objects, several KB, and those further
 * back in a wave are too old when their turn comes.
 */
const PLANS_KEPT = 1000

/** Facts about workloads from their earlier copies. */
interface Known {
  readonly marks: LastKnownMarks
  readonly reporter: HistoryReporter
}

/** Evaluate → enqueue → reconcile → evaluate. An evaluation does no I/O; a reconcile sends one patch. */
export class ReconcileLoop {
  readonly #ports: ControllerPorts
  readonly #reporter: HistoryReporter
  readonly #outages: Outages
  readonly #budget: WriteBudget
  readonly #planner: Planner
  readonly #reconciler: Reconciler
  readonly #rules: Rules
  readonly #queue: DelayingQueue<Planned>
  readonly #monotonic: Monotonic
  #stopping: Required<Stopping> = { signal: AbortSignal.abort(), cut: AbortSignal.abort() }
  /** Monotonic. */
  #openedAt = 0

  constructor(
    ports: ControllerPorts,
    rules: Rules,
    { concurrency, writesPerWorkload }: ControllerSettings,
    { marks, reporter }: Known,
  ) {
    const { monotonic = systemMonotonic } = ports
    this.#ports = ports
    this.#monotonic = monotonic
    this.#rules = rules
    this.#reporter = reporter
    this.#outages = new Outages(ports.workloads)
    this.#budget = new WriteBudget(writesPerWorkload)
    this.#planner = new Planner(ports, rules, marks)
    this.#reconciler = new Reconciler(ports, this.#planner)
    const handlers = {
      evaluate: (key: string) => this.#evaluateNewest(key),
      work: (job: Job<Planned>) => this.#work(job).catch((error: unknown) => this.failedOver(job.key, error)),
      delayedUntil: (key: string, planned: Planned) => this.#delayedUntil(key, planned),
    }
    this.#queue = new DelayingQueue<Planned>(handlers, { ...ports, monotonic, concurrency })
  }

  /** `stopping` ends jobs in work. */
  open(stopping: Required<Stopping>): void {
    this.#stopping = stopping
    this.#openedAt = this.#monotonic()
    this.#outages.open(stopping.signal)
    this.#queue.open()
  }

  /** Drops due tasks, and resolves when the jobs in work have ended. */
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

  /** An input other than the workload changed, or time alone. */
  inputsChanged(workload: Workload): void {
    const key = keyOf(workload)
    this.#queue.inputsChanged(key)
    if (this.#queue.jobOf(key)) this.#reporter.evaluated(workload)
    else this.#evaluate(workload, this.#monotonic() - LONGEST_SLEEP)
  }

  /** The workload no longer exists. */
  drop(workload: Workload): void {
    this.#queue.forget(keyOf(workload))
  }

  /** The watch of a kind broke, or is connected again: then everything that waited for it is written at once. */
  connection(kind: Kind, connected: boolean): void {
    if (!connected) return this.#outages.began(kind)
    const catchUp = (key: string) => {
      this.#queue.reachable(key)
      this.#evaluateNewest(key, undefined, this.#openedAt)
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

  /** Evaluates the informer's copy, unless `found` is newer. */
  #evaluateNewest(key: string, found?: Workload, since?: number): void {
    const copy = this.#ports.workloads.get(parseKey(key))
    if (!copy) return this.#queue.forget(key)
    try {
      // Also with another uid: it was deleted and created again, and the watch has not delivered that yet.
      this.#evaluate(found && isOlder(copy, found) ? found : copy, since)
    } catch (error) {
      this.failedOver(key, error)
    }
  }

  /** An edge that came after `since` (monotonic) is acted on late, and its lateness is measured. */
  #evaluate(workload: Workload, since = Number.POSITIVE_INFINITY): void {
    const key = keyOf(workload)
    if (this.#outages.defers(workload.kind, key)) return
    this.#reporter.evaluated(workload)
    if (this.#queue.isBlocked(key)) return
    const planned = this.#planner.evaluate(workload)
    if (!planned) return this.#queue.forget(key)
    const lookAgainAt = planned.isShared ? undefined : planned.step.decision.lookAgainAt
    const changesAt = lookAgainAt && this.#monotonic() + lookAgainAt - this.#ports.clock()
    const waitsUntil = this.#rules.waitOf?.(workload, planned.step.decision, this.#ports.clock())?.until
    const step = this.#queue.depth < PLANS_KEPT ? planned.step : undefined
    const edge = this.#edgeOf(planned)
    const dueSince = edge >= since && waitsUntil === undefined ? edge : undefined
    this.#queue.add(key, { ...planned, step, waitsUntil, changesAt }, dueSince)
  }

  /** The instant of its edge by monotonic time; -Infinity: no edge made it due. */
  #edgeOf({ dueAt = Number.NEGATIVE_INFINITY }: Planned): number {
    return this.#monotonic() - Math.max(0, this.#ports.clock() - dueAt)
  }

  /** The end (monotonic) of its wait for others that wake before it, or of the delay of one that is written too often. */
  #delayedUntil(key: string, planned: Planned): number | undefined {
    const { workload, waitsUntil } = planned
    const now = this.#monotonic()
    if (waitsUntil !== undefined) return now + waitsUntil - this.#ports.clock()
    const delay = this.#budget.delayOf(key, planned, now)
    if (delay?.news) this.#ports.observer.writeWithheld(workload.kind)
    if (delay?.news === 'episode') {
      const message =
        `Written ${this.#budget.limit} times within a minute, because something undoes it: the next write ` +
        `waits ${Math.ceil((delay.until - now) / 1000)} s, and then longer. The schedule is still kept. ` +
        "`kubectl get --show-managed-fields` tells who else writes Dormouse's label and annotations"
      this.#ports.logger.warn({ workload: key }, message)
      this.#ports.recorder.record(workload, 'Warning', 'TooManyWrites', message)
    }
    return delay?.until
  }

  async #work(job: Job<Planned>): Promise<void> {
    const { key, task } = job
    const { kind } = task.workload
    if (this.#outages.defers(kind, key)) return this.#queue.failed(key, 'unavailable', task)
    const { signal, cut } = this.#stopping
    const stopping = { signal: this.#outages.signal(kind), cut }
    const startedAt = this.#monotonic()
    const outcome = await this.#reconciler.reconcile(parseKey(key), task, stopping)
    if (outcome.type === 'failed') this.#queue.failed(key, outcome.why, outcome.tried)
    else this.#done(job, outcome)
    const found = outcome.type === 'done' ? outcome.workload : undefined
    if (!signal.aborted) this.#evaluateNewest(key, found, startedAt)
  }

  #done({ key, dueSince }: Job<Planned>, { wrote, moved }: Done): void {
    const now = this.#monotonic()
    if (wrote) this.#budget.wrote(key, moved?.dueAt, now)
    if (moved?.dueAt !== undefined && dueSince !== undefined)
      this.#ports.observer.scheduleLag((now - dueSince) / 1000)
    this.#queue.succeeded(key)
  }
}
