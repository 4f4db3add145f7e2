import type { Clock, Instant } from '../../process/clock.ts'
import { listedRecord } from '../../../domain/records/record.ts'
import type { Rules } from '../../../domain/deciding/rules.ts'
import type { Workload } from '../../../domain/workload/workload.ts'

/** Milliseconds for which a record is reused: one change goes to many streams. */
const FRESH = 1000

interface Made {
  readonly text: string
  readonly at: Instant
}

interface Options {
  readonly rules: Rules
  readonly clock: Clock
}

/** The records of workloads as JSON, each made once for all streams. */
export class ListedRecords {
  readonly #options: Options
  readonly #made = new WeakMap<Workload, Made>()

  constructor(options: Options) {
    this.#options = options
  }

  textOf(workload: Workload): string {
    const { clock, rules } = this.#options
    const now = clock()
    const known = this.#made.get(workload)
    if (known && known.at <= now && now < known.at + FRESH) return known.text
    const text = JSON.stringify(listedRecord(workload, now, rules))
    this.#made.set(workload, { text, at: now })
    return text
  }

  /** An input of its decision may have changed, so the record is made again. */
  changed(workload: Workload): void {
    this.#made.delete(workload)
  }
}
