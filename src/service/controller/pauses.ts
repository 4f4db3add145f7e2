import { keyOfCompanion, nameOfCompanion, type Companion } from '../../domain/companions/companion.ts'
import { OWNED_KINDS } from '../../domain/companions/link.ts'
import { pauseChange, restOf, type PauseChange } from '../../domain/companions/pause.ts'
import type { Rules } from '../../domain/deciding/rules.ts'
import { hasSleepMark } from '../../domain/workload/reading.ts'
import { withMarksRestored } from '../../domain/workload/last-known.ts'
import { namesIn } from '../../domain/json-pointer.ts'
import { wantsPods, type Workload, type WorkloadKey } from '../../domain/workload/workload.ts'
import type { Stopping } from '../../kubernetes/ports.ts'
import { systemMonotonic, type Monotonic } from '../../process/clock.ts'
import { Companions } from '../../process/companions.ts'
import { messageOf, Refusal } from '../../process/errors.ts'
import { inTurns } from '../../process/turns.ts'
import { backoff } from './failures.ts'
import type { LastKnownMarks } from './last-known-marks.ts'
import type { ControllerPorts, ControllerSettings, PausingPorts } from './ports.ts'
import { WriteBudget } from './write-budget.ts'

interface Pause {
  readonly companion: Companion
  readonly change: PauseChange
  /** Whether it ends the pause. */
  readonly ends: boolean
}

type Ports = ControllerPorts & {
  readonly pausing: PausingPorts
  readonly marks: Pick<LastKnownMarks, 'of'>
}

/**
 * Pauses what stands beside sleeping workloads, such as KEDA, and ends the pause beside others. The write follows from the two present
 * objects, so the next evaluation completes an interrupted pair of writes, at the start, too.
 */
export class Pauses {
  readonly #ports: Ports
  readonly #rules: Rules
  readonly #excluded: ReadonlySet<string>
  readonly #budget: WriteBudget
  readonly #monotonic: Monotonic
  readonly #loop: Companions
  #stopping: Required<Stopping> = { signal: AbortSignal.abort(), cut: AbortSignal.abort() }
  #first = Promise.resolve()

  constructor(
    ports: Ports,
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

  /** Evaluates every companion once. `stopping` ends jobs in work. */
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
    if (hasSleepMark(workload) && wantsPods(workload)) this.#ports.pausing.companions.need()
    for (const each of this.#ports.pausing.companions.beside(workload)) this.changed(each)
  }

  changed(companion: Companion): void {
    this.#loop.changed(keyOfCompanion(companion))
  }

  /** A watch is connected again: changes since its loss had no events. */
  connected(): void {
    const all = inTurns(
      this.#ports.pausing.companions.list(),
      (each) => this.changed(each),
      this.#stopping.signal,
    )
    this.#first = all.catch(() => {})
  }

  #due(key: string): Pause | undefined {
    const companion = this.#ports.pausing.companions.get(key)
    const change = companion && pauseChange(companion, this.#restBeside(companion))
    return change && { companion, change, ends: change.mark === null }
  }

  /** The count at which a workload beside it sleeps; false: none sleeps, undefined: unknown. */
  #restBeside(companion: Companion): number | false | undefined {
    const { workloads, pausing } = this.#ports
    const { row, namespace } = companion
    if (!pausing.companions.isConnected(row.resource) || this.#excluded.has(namespace)) return undefined
    const keys = this.#workloadsBeside(companion)
    if (keys === 'unknown') return undefined
    const rests = keys.map((key) => {
      const workload = workloads.get(key)
      return workload ? this.#restOf(workload) : false
    })
    const kinds = row.link.by === 'owner' ? OWNED_KINDS : keys.map(({ kind }) => kind)
    // A copy may be old, and a workload may exist that has not arrived yet.
    const isKnown = kinds.every((kind) => workloads.isConnected(kind)) && !rests.includes(undefined)
    return rests.find((rest) => typeof rest === 'number') ?? (isKnown ? false : undefined)
  }

  /** A workload that lost its marks is about to be put back to sleep: its operator stays paused meanwhile. */
  #restOf(workload: Workload): number | false | undefined {
    const restored = withMarksRestored(workload, this.#ports.marks.of(workload), this.#rules)
    return restOf(restored, this.#rules)
  }

  #workloadsBeside(companion: Companion): readonly WorkloadKey[] | 'unknown' {
    const { workloads, pausing } = this.#ports
    return pausing.companions.workloadsOf(companion, (...of) => workloads.list(...of))
  }

  /** Resolves with the milliseconds that the budget makes it wait; undefined: it is as it should be. */
  async #write(key: string, signal: AbortSignal): Promise<number | undefined> {
    const { pausing, logger } = this.#ports
    const pause = this.#due(key)
    if (!pause) return undefined
    const now = this.#monotonic()
    const delay = this.#budget.delayOf(
      key,
      { priority: pause.ends ? 'wake' : 'snooze', dueAt: undefined },
      now,
    )
    if (delay?.news === 'episode') this.#tooMany(pause.companion, delay.until - now)
    if (delay) return delay.until - now
    const { companion, change, ends } = pause
    try {
      await pausing.pauser.pause(companion, change, this.#stopping)
    } catch (error) {
      if (!signal.aborted && error instanceof Refusal) this.#refused(pause, error)
      throw error
    }
    this.#budget.wrote(key, undefined, this.#monotonic())
    logger.info({ companion: key, ...change }, ends ? 'it goes on' : 'it is paused')
    // Another change may be due by now.
    return 0
  }

  #refused({ companion, ends }: Pause, error: Refusal): void {
    const { logger } = this.#ports
    const key = keyOfCompanion(companion)
    if (error.code !== 'CLUSTER_REJECTED')
      return logger.info({ companion: key, code: error.code }, error.message)
    logger.warn({ companion: key, err: error }, 'a pause could not be written')
    const effect = ends ? 'stays paused' : 'is not paused and may wake it'
    const message = `${nameOfCompanion(companion)} could not be written, so it ${effect}: ${messageOf(error)}`
    this.#warn(companion, 'PauseFailed', message)
  }

  /** A fault of our own over one companion, or its workload, is theirs alone. */
  #failed(error: unknown, key: string, times: number): number {
    const { logger, observer } = this.#ports
    const isOurs = !(error instanceof Refusal)
    if (isOurs) {
      logger.error({ companion: key, err: error }, 'the controller failed over what stands beside a workload')
      observer.decidingFailed()
    }
    const isRefused = isOurs || error.code === 'CLUSTER_REJECTED'
    return backoff(isRefused ? 'refused' : 'unavailable', times, Math.random())
  }

  #tooMany(companion: Companion, wait: number): void {
    const place = namesIn(companion.row.place).at(-1)
    const message =
      `${nameOfCompanion(companion)} was written ${this.#budget.limit} times within a minute, because something ` +
      `undoes its pause: the next write waits ${Math.ceil(wait / 1000)} s, and then longer. ` +
      `\`kubectl get --show-managed-fields\` tells who else writes ${place}`
    this.#ports.logger.warn({ companion: keyOfCompanion(companion) }, message)
    this.#warn(companion, 'TooManyWrites', message)
  }

  #warn(on: Companion, reason: 'PauseFailed' | 'TooManyWrites', message: string): void {
    const { workloads, recorder, logger } = this.#ports
    const keys = this.#workloadsBeside(on)
    const beside = keys === 'unknown' ? [] : keys.flatMap((key) => workloads.get(key) ?? [])
    for (const workload of beside) recorder.record(workload, 'Warning', reason, message)
    if (beside.length === 0) logger.warn({ companion: keyOfCompanion(on), reason }, message)
  }
}
