import { riskOf } from '../../domain/deciding/decide.ts'
import { sameMarks } from '../../domain/workload/marks.ts'
import { readWorkload } from '../../domain/workload/reading.ts'
import type { Rules } from '../../domain/deciding/rules.ts'
import { wakeOrderFault } from '../../domain/deciding/wake-order.ts'
import { Unreadable } from '../../domain/workload/state-codec.ts'
import { clip } from '../../domain/text.ts'
import { keyOf, type Workload } from '../../domain/workload/workload.ts'
import type { Logger } from '../process/logger.ts'
import type { Recorder } from './ports.ts'

interface AnnotationWarning {
  readonly reason: 'InvalidState' | 'InvalidSchedule' | 'DataAtRisk' | 'RequestIgnored'
  readonly message: string
}

interface AnnotationWarningsPorts {
  readonly recorder: Recorder
  readonly logger: Logger
}

/** Warns people of annotations that they have to repair: by an Event and a log line, once, when the fault appears. */
export class AnnotationWarnings {
  readonly #ports: AnnotationWarningsPorts
  readonly #rules: Rules

  constructor(ports: AnnotationWarningsPorts, rules: Rules) {
    this.#ports = ports
    this.#rules = rules
  }

  changed(before: Workload | undefined, after: Workload): void {
    // The same copy twice: what it inherits has changed, so it is told again, which the recorder counts.
    const known = before === after ? undefined : before
    if (known && saysTheSame(known, after)) return
    const ignored = ignoredRequest(known, after)
    if (ignored) this.#warn(after, ignored)
    const warning = this.#of(after)
    if (!warning || (known && this.#of(known)?.message === warning.message)) return
    this.#warn(after, warning)
  }

  /** Something beside the workload has changed what its annotations mean: a calendar. */
  reread(workload: Workload): void {
    const warning = this.#of(workload)
    if (warning?.reason === 'InvalidSchedule') this.#warn(workload, warning)
  }

  #warn(workload: Workload, { reason, message }: AnnotationWarning): void {
    const { recorder, logger } = this.#ports
    logger.warn({ workload: keyOf(workload) }, message)
    recorder.record(workload, 'Warning', reason, message)
  }

  #of(workload: Workload): AnnotationWarning | undefined {
    const reading = readWorkload(workload, this.#rules)
    if (reading instanceof Unreadable) return { reason: 'InvalidState', message: reading.message }
    const { enabled, schedule, scheduleFault, scheduleFaultAt } = reading
    if (enabled !== true) return undefined
    const fault = scheduleFault ?? wakeOrderFault(workload)
    // One that is inherited is told of where it stands.
    if (scheduleFault !== undefined && scheduleFaultAt !== 'workload') return undefined
    if (fault !== undefined) return { reason: 'InvalidSchedule', message: fault }
    const risk = schedule ? riskOf(workload) : undefined
    if (risk === undefined) return undefined
    return { reason: 'DataAtRisk', message: `Its schedule does not put it to sleep: ${risk}` }
  }
}

/** A request that is stored has passed no webhook, so that nobody knows who asks: the controller removes it. */
function ignoredRequest(before: Workload | undefined, after: Workload): AnnotationWarning | undefined {
  const { request } = after.annotations
  if (request === undefined || request === before?.annotations.request) return undefined
  const message =
    `dormouse.dev/request '${clip(request)}' was not carried out, since Dormouse's webhook did not see it ` +
    'and nobody knows who asks: it is removed. Ask again'
  return { reason: 'RequestIgnored', message }
}

function saysTheSame(a: Workload, b: Workload): boolean {
  return (
    sameMarks(a, b) &&
    a.deletesVolumes === b.deletesVolumes &&
    a.otherAnnotationBytes === b.otherAnnotationBytes
  )
}
