import { systemMonotonic } from '../../process/clock.ts'
import { pauseChange, sleeps, type PauseChange } from '../../domain/autoscaling/pause.ts'
import { keyOfScaledObject, type ScaledObject } from '../../domain/autoscaling/scaled-object.ts'
import type { Rules } from '../../domain/deciding/rules.ts'
import type { Workload } from '../../domain/workload/workload.ts'
import { messageOf, Refusal } from '../../process/errors.ts'
import { DelayingQueue, type Job } from './delaying-queue.ts'
import type { Due } from './failures.ts'
import type { Stopping } from '../../kubernetes/ports.ts'
import type { Autoscaling, ControllerPorts, ControllerSettings } from './ports.ts'
import { inTurns } from '../../process/turns.ts'
import { WriteBudget } from './write-budget.ts'

/** The gate of all writes paces these. */
const UNPACED = { isSlow: () => false, hasRoom: () => true, onRoom: () => {} }
/** The metrics of the queue are those of workloads. */
const UNOBSERVED = { queueDepth: () => {}, queueWait: () => {} }

interface Pause extends Due {
  readonly change: PauseChange
}

/**
 * Pauses KEDA beside sleeping workloads, and ends the pause beside others. The write follows from the two present
 * objects, so the next evaluation completes an interrupted pair of writes, at the start, too.
 */
export class Pauses {
  readonly #ports: ControllerPorts & { readonly autoscaling: Autoscaling }
  readonly #rules: Rules
  readonly #excluded: ReadonlySet<string>
  readonly #budget: WriteBudget
  readonly #queue: DelayingQueue<Pause>
  #stopping: Required<Stopping> = { signal: AbortSignal.abort(), cut: AbortSignal.abort() }
  #first = Promise.resolve()

  constructor(
    ports: ControllerPorts & { readonly autoscaling: Autoscaling },
    rules: Rules,
    { concurrency, writesPerWorkload, excludeNamespaces }: ControllerSettings,
  ) {
    const { monotonic = systemMonotonic } = ports
    this.#ports = ports
    this.#rules = rules
    this.#excluded = excludeNamespaces
    this.#budget = new WriteBudget(writesPerWorkload)
    const handlers = {
      evaluate: (key: string) => this.#evaluate(key),
      work: (job: Job<Pause>) => this.#work(job),
      delayedUntil: (key: string, pause: Pause) => this.#delayedUntil(key, pause),
    }
    const options = { ...ports, monotonic, concurrency, pace: UNPACED, observer: UNOBSERVED }
    this.#queue = new DelayingQueue<Pause>(handlers, options)
  }

  /** Evaluates every ScaledObject once. `stopping` ends jobs in work. */
  open(stopping: Required<Stopping>): void {
    this.#stopping = stopping
    this.#queue.open()
    this.#evaluateAll()
  }

  /** Drops due tasks, and resolves when the jobs in work have ended. */
  async close(): Promise<void> {
    await Promise.all([this.#queue.close(), this.#first])
    this.#budget.clear()
  }

  workloadChanged(workload: Workload): void {
    for (const each of this.#ports.autoscaling.scaledObjects.ofTarget(workload)) this.changed(each)
  }

  changed(scaledObject: ScaledObject): void {
    const key = keyOfScaledObject(scaledObject)
    // A key in work is evaluated afterwards: mostly its own write is the change.
    if (!this.#queue.jobOf(key)) this.#evaluate(key)
  }

  /** A watch is connected again: changes since its loss had no events. */
  connected(): void {
    this.#evaluateAll()
  }

  #evaluateAll(): void {
    const { scaledObjects } = this.#ports.autoscaling
    const all = inTurns(scaledObjects.list(), (each) => this.changed(each), this.#stopping.signal)
    this.#first = all.catch(() => {})
  }

  #evaluate(key: string): void {
    const scaledObject = this.#ports.autoscaling.scaledObjects.get(key)
    if (!scaledObject) return this.#queue.forget(key)
    if (this.#queue.isBlocked(key)) return
    try {
      const change = this.#due(scaledObject)
      if (change)
        this.#queue.add(key, { priority: change.mark === null ? 'wake' : 'snooze', dueAt: undefined, change })
      else this.#queue.forget(key)
    } catch (error) {
      this.#failedOver(key, error)
    }
  }

  /** A fault of our own over one ScaledObject, or its workload, is theirs alone: it is tried again later. */
  #failedOver(key: string, error: unknown): void {
    const { logger, observer } = this.#ports
    logger.error({ scaledObject: key, err: error }, 'the controller failed over a ScaledObject')
    observer.decidingFailed()
    this.#queue.failed(key, 'refused', undefined)
  }

  #due(scaledObject: ScaledObject): PauseChange | undefined {
    const { workloads, autoscaling } = this.#ports
    if (!autoscaling.scaledObjects.isConnected || this.#excluded.has(scaledObject.namespace)) return undefined
    const key = autoscaling.scaledObjects.targetOf(scaledObject)
    if (!key) return pauseChange(scaledObject, false)
    // A copy may be old, and a workload may exist that has not arrived yet.
    if (key === 'unknown' || !workloads.isConnected(key.kind)) return undefined
    const workload = workloads.get(key)
    return pauseChange(scaledObject, workload ? sleeps(workload, this.#rules) : false)
  }

  async #work({ key, task }: Job<Pause>): Promise<void> {
    const { autoscaling, logger, monotonic = systemMonotonic } = this.#ports
    const scaledObject = autoscaling.scaledObjects.get(key)
    try {
      const change = scaledObject && this.#due(scaledObject)
      if (scaledObject && change) {
        await autoscaling.pauser.pause(scaledObject, change, this.#stopping)
        this.#budget.wrote(key, undefined, monotonic())
        logger.info(
          { scaledObject: key, ...change },
          change.mark === null ? 'KEDA goes on' : 'KEDA is paused',
        )
      }
      this.#queue.succeeded(key)
    } catch (error) {
      if (this.#stopping.signal.aborted) return
      this.#failed(key, task, scaledObject, error)
    }
    this.#evaluate(key)
  }

  #failed(key: string, task: Pause, scaledObject: ScaledObject | undefined, error: unknown): void {
    const { logger } = this.#ports
    const isRefused = !(error instanceof Refusal) || error.code === 'CLUSTER_REJECTED'
    this.#queue.failed(key, isRefused ? 'refused' : 'unavailable', task)
    if (!isRefused) return logger.info({ scaledObject: key, code: error.code }, error.message)
    logger.warn({ scaledObject: key, err: error }, 'a ScaledObject could not be written')
    const what = task.priority === 'wake' ? 'KEDA stays paused' : 'KEDA is not paused and may wake it'
    this.#warn(
      scaledObject,
      'PauseFailed',
      `ScaledObject ${scaledObject?.name} could not be written, so ${what}: ${messageOf(error)}`,
    )
  }

  #delayedUntil(key: string, pause: Pause): number | undefined {
    const { logger, monotonic = systemMonotonic } = this.#ports
    const now = monotonic()
    const delay = this.#budget.delayOf(key, pause, now)
    if (delay?.news === 'episode') {
      const scaledObject = this.#ports.autoscaling.scaledObjects.get(key)
      const message =
        `ScaledObject ${scaledObject?.name} was written ${this.#budget.limit} times within a minute, because something ` +
        `undoes its pause: the next write waits ${Math.ceil((delay.until - now) / 1000)} s, and then longer. ` +
        '`kubectl get --show-managed-fields` tells who else writes autoscaling.keda.sh/paused-replicas'
      logger.warn({ scaledObject: key }, message)
      this.#warn(scaledObject, 'TooManyWrites', message)
    }
    return delay?.until
  }

  #warn(on: ScaledObject | undefined, reason: 'PauseFailed' | 'TooManyWrites', message: string): void {
    const { autoscaling, workloads, recorder, logger } = this.#ports
    const target = on && autoscaling.scaledObjects.targetOf(on)
    const workload = target && target !== 'unknown' ? workloads.get(target) : undefined
    if (workload) recorder.record(workload, 'Warning', reason, message)
    else logger.warn({ scaledObject: on && keyOfScaledObject(on), reason }, message)
  }
}
