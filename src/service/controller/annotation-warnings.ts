import { toRepair } from '../../domain/admission/messages.ts'
import { riskOf } from '../../domain/deciding/holds.ts'
import { sameMarks } from '../../domain/workload/marks.ts'
import { orderFault } from '../../domain/deciding/order.ts'
import { Unreadable } from '../../domain/workload/state-codec.ts'
import { restOf } from '../../domain/workload/state.ts'
import { clip } from '../../domain/text.ts'
import { looksAsleep, keyOf, type Workload } from '../../domain/workload/workload.ts'
import type { Logger } from '../../process/logger.ts'
import type { Recorder } from '../../kubernetes/ports.ts'
import type { Evaluations } from '../evaluating/ports.ts'

interface AnnotationWarning {
  readonly reason: 'InvalidState' | 'InvalidSchedule' | 'DataAtRisk' | 'RequestIgnored'
  readonly message: string
}

interface AnnotationWarningsPorts {
  readonly evaluations: Evaluations
  readonly recorder: Recorder
  readonly logger: Logger
}

/** Warns about faulty annotations by an Event and a log line, once, when the fault appears. */
export class AnnotationWarnings {
  readonly #ports: AnnotationWarningsPorts
  /** The latest warning of those that have a fault, by uid. */
  readonly #told = new Map<string, string>()

  constructor(ports: AnnotationWarningsPorts) {
    this.#ports = ports
  }

  /** Call it with (copy, copy) if only an input of the decision has changed. */
  changed(before: Workload | undefined, after: Workload): void {
    if (before && before !== after && saysTheSame(before, after)) return
    const ignored = this.#ignoredRequest(before, after)
    if (ignored) this.#warn(after, ignored)
    const warning = this.#of(after)
    const told = this.#told.get(after.uid)
    if (warning) this.#told.set(after.uid, warning.message)
    else this.#told.delete(after.uid)
    if (warning && warning.message !== told) this.#warn(after, warning)
  }

  forget({ uid }: Workload): void {
    this.#told.delete(uid)
  }

  clear(): void {
    this.#told.clear()
  }

  #warn(workload: Workload, { reason, message }: AnnotationWarning): void {
    const { recorder, logger } = this.#ports
    logger.warn({ workload: keyOf(workload) }, message)
    recorder.record(workload, 'Warning', reason, message)
  }

  /** A request that is stored was carried out by no webhook, so that nobody knows who asks: the controller removes it. */
  #ignoredRequest(before: Workload | undefined, after: Workload): AnnotationWarning | undefined {
    const { request } = after.annotations
    if (request === undefined || request === before?.annotations.request) return undefined
    const says = `dormouse.dev/request '${clip(request)}' was not carried out`
    if (after.deleting) return { reason: 'RequestIgnored', message: `${says}: it is being deleted` }
    const { reading } = this.#ports.evaluations.of(after)
    const then =
      reading instanceof Unreadable ? 'it stays until its state is repaired' : 'it is removed. Ask again'
    const message = `${says}, since Dormouse's webhook did not see it and nobody knows who asks: ${then}`
    return { reason: 'RequestIgnored', message }
  }

  #of(workload: Workload): AnnotationWarning | undefined {
    const { reading, step } = this.#ports.evaluations.of(workload)
    if (reading instanceof Unreadable) return { reason: 'InvalidState', message: toRepair(workload, reading) }
    const { enabled, schedule, scheduleFault, scheduleFaultAt } = reading
    if (enabled !== true) return undefined
    const fault = scheduleFault ?? orderFault(workload)
    // `NamespaceWarnings` reports an inherited fault, at its source.
    if (scheduleFault !== undefined && scheduleFaultAt !== 'workload') return undefined
    if (fault !== undefined) return { reason: 'InvalidSchedule', message: fault }
    // A sleeper was put to sleep before, or by force.
    const isAsFound = looksAsleep(workload, restOf(reading.state))
    const isLeftAwake = step.decision.reason.code === 'data_at_risk' || !isAsFound
    const risk = schedule && isLeftAwake ? riskOf(workload) : undefined
    if (risk === undefined) return undefined
    return { reason: 'DataAtRisk', message: `Its schedule does not put it to sleep: ${risk}` }
  }
}

function saysTheSame(a: Workload, b: Workload): boolean {
  return (
    sameMarks(a, b) &&
    a.deletesVolumes === b.deletesVolumes &&
    a.otherAnnotationBytes === b.otherAnnotationBytes
  )
}
