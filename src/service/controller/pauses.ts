import { pauseChange, sleeps, type PauseChange } from '../../domain/autoscaling/pause.ts'
import { keyOfScaledObject, type ScaledObject } from '../../domain/autoscaling/scaled-object.ts'
import type { Rules } from '../../domain/deciding/rules.ts'
import type { Workload } from '../../domain/workload/workload.ts'
import type { Stopping } from '../../kubernetes/ports.ts'
import { systemMonotonic, type Monotonic } from '../../process/clock.ts'
import { Companions } from '../../process/companions.ts'
import { messageOf, Refusal } from '../../process/errors.ts'
import { inTurns } from '../../process/turns.ts'
import { backoff } from './failures.ts'
import type { Autoscaling, ControllerPorts, ControllerSettings } from './ports.ts'
import { WriteBudget } from './write-budget.ts'

interface Pause {
  readonly scaledObject: ScaledObject
  readonly change: PauseChange
  /** Whether it ends the pause. */
  readonly ends: boolean
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
  readonly #monotonic: Monotonic
  readonly #loop: Companions
  #stopping: Required<Stopping> = { signal: AbortSignal.abort(), cut: AbortSignal.abort() }
  #first = Promise.resolve()

  constructor(
    ports: ControllerPorts & { readonly autoscaling: Autoscaling },
    rules: Rules,
    { concurrency, writesPerWorkload, excludeNamespaces }: ControllerSettings,
  ) {
    const { monotonic = systemMonotonic, later } = ports
    this.#ports = ports
    this.#rules = rules
    this.#excluded = excludeNamespaces
    this.#budget = new WriteBudget(writesPerWorkload)
    this.#monotonic = monotonic
    this.#loop = new Companions({
      name: 'pauses',
      due: (key) => {
        const pause = this.#due(key)
        return pause && { change: String(pause.ends), isUrgent: pause.ends }
      },
      reconcile: (key, signal) => this.#write(key, signal),
      failed: (...failure) => this.#failed(...failure),
      concurrency,
      monotonic,
      later,
    })
  }

  /** Evaluates every ScaledObject once. `stopping` ends jobs in work. */
  open(stopping: Required<Stopping>): void {
    this.#stopping = stopping
    void this.#loop.start()
    this.connected()
  }

  /** Drops due tasks, and resolves when the jobs in work have ended. */
  async close(): Promise<void> {
    await Promise.all([this.#loop.stop(), this.#first])
    this.#budget.clear()
  }

  workloadChanged(workload: Workload): void {
    for (const each of this.#ports.autoscaling.scaledObjects.ofTarget(workload)) this.changed(each)
  }

  changed(scaledObject: ScaledObject): void {
    this.#loop.changed(keyOfScaledObject(scaledObject))
  }

  /** A watch is connected again: changes since its loss had no events. */
  connected(): void {
    const { scaledObjects } = this.#ports.autoscaling
    const all = inTurns(scaledObjects.list(), (each) => this.changed(each), this.#stopping.signal)
    this.#first = all.catch(() => {})
  }

  #due(key: string): Pause | undefined {
    const scaledObject = this.#ports.autoscaling.scaledObjects.get(key)
    const change = scaledObject && this.#changeOf(scaledObject)
    return change && { scaledObject, change, ends: change.mark === null }
  }

  #changeOf(scaledObject: ScaledObject): PauseChange | undefined {
    const { workloads, autoscaling } = this.#ports
    if (!autoscaling.scaledObjects.isConnected || this.#excluded.has(scaledObject.namespace)) return undefined
    const key = autoscaling.scaledObjects.targetOf(scaledObject)
    if (!key) return pauseChange(scaledObject, false)
    // A copy may be old, and a workload may exist that has not arrived yet.
    if (key === 'unknown' || !workloads.isConnected(key.kind)) return undefined
    const workload = workloads.get(key)
    return pauseChange(scaledObject, workload ? sleeps(workload, this.#rules) : false)
  }

  /** Resolves with the milliseconds that the budget makes it wait; undefined: it is as it should be. */
  async #write(key: string, signal: AbortSignal): Promise<number | undefined> {
    const { autoscaling, logger } = this.#ports
    const pause = this.#due(key)
    if (!pause) return undefined
    const now = this.#monotonic()
    const delay = this.#budget.delayOf(
      key,
      { priority: pause.ends ? 'wake' : 'snooze', dueAt: undefined },
      now,
    )
    if (delay?.news === 'episode') this.#tooMany(key, pause.scaledObject, delay.until - now)
    if (delay) return delay.until - now
    const { scaledObject, change, ends } = pause
    try {
      await autoscaling.pauser.pause(scaledObject, change, this.#stopping)
    } catch (error) {
      if (!signal.aborted && error instanceof Refusal) this.#refused(pause, error)
      throw error
    }
    this.#budget.wrote(key, undefined, this.#monotonic())
    logger.info({ scaledObject: key, ...change }, ends ? 'KEDA goes on' : 'KEDA is paused')
    // Another change may be due by now.
    return 0
  }

  #refused({ scaledObject, ends }: Pause, error: Refusal): void {
    const { logger } = this.#ports
    const key = keyOfScaledObject(scaledObject)
    if (error.code !== 'CLUSTER_REJECTED')
      return logger.info({ scaledObject: key, code: error.code }, error.message)
    logger.warn({ scaledObject: key, err: error }, 'a ScaledObject could not be written')
    const effect = ends ? 'KEDA stays paused' : 'KEDA is not paused and may wake it'
    const message = `ScaledObject ${scaledObject.name} could not be written, so ${effect}: ${messageOf(error)}`
    this.#warn(scaledObject, 'PauseFailed', message)
  }

  /** A fault of our own over one ScaledObject, or its workload, is theirs alone. */
  #failed(error: unknown, key: string, times: number): number {
    const { logger, observer } = this.#ports
    const isOurs = !(error instanceof Refusal)
    if (isOurs) {
      logger.error({ scaledObject: key, err: error }, 'the controller failed over a ScaledObject')
      observer.decidingFailed()
    }
    const isRefused = isOurs || error.code === 'CLUSTER_REJECTED'
    return backoff(isRefused ? 'refused' : 'unavailable', times, Math.random())
  }

  #tooMany(key: string, scaledObject: ScaledObject, wait: number): void {
    const message =
      `ScaledObject ${scaledObject.name} was written ${this.#budget.limit} times within a minute, because something ` +
      `undoes its pause: the next write waits ${Math.ceil(wait / 1000)} s, and then longer. ` +
      '`kubectl get --show-managed-fields` tells who else writes autoscaling.keda.sh/paused-replicas'
    this.#ports.logger.warn({ scaledObject: key }, message)
    this.#warn(scaledObject, 'TooManyWrites', message)
  }

  #warn(on: ScaledObject, reason: 'PauseFailed' | 'TooManyWrites', message: string): void {
    const { autoscaling, workloads, recorder, logger } = this.#ports
    const target = autoscaling.scaledObjects.targetOf(on)
    const workload = target && target !== 'unknown' ? workloads.get(target) : undefined
    if (workload) recorder.record(workload, 'Warning', reason, message)
    else logger.warn({ scaledObject: keyOfScaledObject(on), reason }, message)
  }
}
