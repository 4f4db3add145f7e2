import type { Clock, Instant, Later, Monotonic } from '../../process/clock.ts'
import { decide } from '../../../domain/deciding/decide.ts'
import { situationOf } from '../../../domain/deciding/situation.ts'
import { readWorkload } from '../../../domain/workload/reading.ts'
import { listedRecord } from '../../../domain/records/record.ts'
import type { Rules } from '../../../domain/deciding/rules.ts'
import { Unreadable } from '../../../domain/workload/state-codec.ts'
import { keyOf, parseKey, type Workload, type WorkloadKey } from '../../../domain/workload/workload.ts'
import { NEVER, Timers } from '../../process/timers.ts'

/** How long a record is used again, in milliseconds: one change is told to many streams. */
const FRESH = 1000
/** Keeps no process alive. */
const quietLater: Later = (callback, milliseconds) => {
  const timeout = setTimeout(callback, milliseconds).unref()
  return () => clearTimeout(timeout)
}

interface Made {
  readonly text: string
  readonly at: Instant
  readonly until: Instant
}

interface Options {
  readonly rules: Rules
  readonly clock: Clock
  /** Tells when the clock was set. */
  readonly monotonic: Monotonic
  /** Default: the system's timeouts. */
  readonly later?: Later | undefined
  /**
   * A record changes although nobody wrote its workload: an override ends, say, or the clock was set back, when any may
   * have been told by a wrong time.
   */
  readonly onDue: (key: WorkloadKey) => void
}

/** The records of workloads as JSON, each made once for all streams, and the instants at which time changes them. */
export class ListedRecords {
  readonly #options: Options
  readonly #made = new WeakMap<Workload, Made>()
  readonly #timers: Timers

  constructor(options: Options) {
    const { clock, monotonic, later = quietLater } = options
    this.#options = options
    this.#timers = new Timers((key) => options.onDue(parseKey(key)), clock, later, monotonic)
  }

  textOf(workload: Workload): string {
    const { clock, rules } = this.#options
    const now = clock()
    const known = this.#made.get(workload)
    if (known && known.at <= now && now < known.until) return known.text
    const text = JSON.stringify(listedRecord(workload, now, rules))
    const changes = this.#changesAt(workload, now)
    this.#made.set(workload, { text, at: now, until: Math.min(now + FRESH, changes ?? Infinity) })
    return text
  }

  /** Tells, also of one whose record nobody reads, when time changes it. */
  expect(workload: Workload): void {
    this.#changesAt(workload, this.#options.clock())
  }

  /** What it inherits may have changed, so the record is made anew. */
  changed(workload: Workload): void {
    this.#made.delete(workload)
  }

  gone(key: WorkloadKey): void {
    this.#timers.delete(keyOf(key))
  }

  stop(): void {
    this.#timers.clear()
  }

  #changesAt(workload: Workload, now: Instant): Instant | undefined {
    const { rules } = this.#options
    const reading = readWorkload(workload, rules)
    if (reading instanceof Unreadable) return undefined
    const at = decide(situationOf(reading, now, rules)).lookAgainAt
    if (at !== undefined && at <= now) return undefined
    this.#timers.set(keyOf(workload), at ?? NEVER)
    return at
  }
}
