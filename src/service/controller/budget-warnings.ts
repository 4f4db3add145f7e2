import { systemMonotonic } from '../process/clock.ts'
import { keyOf, type Workload } from '../../domain/workload/workload.ts'
import type { Due } from './failures.ts'
import type { ControllerPorts } from './ports.ts'
import type { WriteBudget } from './write-budget.ts'

/** Warns about a workload that is written too often: by an Event and a log line once an episode. Counts each delay. */
export class BudgetWarnings {
  readonly #ports: Pick<ControllerPorts, 'logger' | 'observer' | 'recorder' | 'monotonic'>
  readonly #budget: WriteBudget

  constructor(
    ports: Pick<ControllerPorts, 'logger' | 'observer' | 'recorder' | 'monotonic'>,
    budget: WriteBudget,
  ) {
    this.#ports = ports
    this.#budget = budget
  }

  /** The end (monotonic) of the delay of a due write; undefined: write now. */
  delayedUntil(workload: Workload, due: Due): number | undefined {
    const { logger, observer, recorder, monotonic = systemMonotonic } = this.#ports
    const now = monotonic()
    const delay = this.#budget.delayOf(keyOf(workload), due, now)
    if (delay?.news) observer.writeWithheld(workload.kind)
    if (delay?.news === 'episode') {
      const message =
        `Written ${this.#budget.limit} times within a minute, because something undoes it: the next write ` +
        `waits ${Math.ceil((delay.until - now) / 1000)} s, and then longer. The schedule is still kept. ` +
        "`kubectl get --show-managed-fields` tells who else writes Dormouse's label and annotations"
      logger.warn({ workload: keyOf(workload) }, message)
      recorder.record(workload, 'Warning', 'TooManyWrites', message)
    }
    return delay?.until
  }
}
