import { stateOf } from '../../domain/workload/reading.ts'
import { keyOf, type Workload } from '../../domain/workload/workload.ts'
import type { Logger } from '../process/logger.ts'

/**
 * Logs a line for each request by annotation that was carried out: who, what, on which workload, as the API does for
 * its own. It follows stored objects: a review cannot know whether its write succeeds.
 */
export class RequestAudit {
  readonly #logger: Logger

  constructor({ logger }: { readonly logger: Logger }) {
    this.#logger = logger
  }

  /** `before`: the newest copy so far. */
  changed(before: Workload, after: Workload): void {
    if (before.annotations.state === after.annotations.state) return
    const then = stateOf(before)?.request
    const now = stateOf(after)?.request
    if (!now || (then && then.at >= now.at)) return
    const line = { by: now.by, action: 'request', asked: now.text, workload: keyOf(after), changed: true }
    this.#logger.info({ ...line, result: 'OK' }, 'audit')
  }
}
