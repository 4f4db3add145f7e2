import { Heap } from 'heap-js'
import type { Clock, Instant } from '../../clock.ts'
import { decide } from '../../domain/decide.ts'
import { readWorkload } from '../../domain/reading.ts'
import { listedRecord } from '../../domain/record.ts'
import type { Rules } from '../../domain/rules.ts'
import { Unreadable } from '../../domain/state-codec.ts'
import { keyOf, type Workload, type WorkloadKey } from '../../domain/workload.ts'

/** How long a record is used again, in milliseconds: one change is told to many streams. */
const FRESH = 1000
/** Node fires at once what is further ahead than 24 days; and a clock may be set. */
const LONGEST_SLEEP = 60_000

interface Made {
  readonly text: string
  readonly at: Instant
  readonly until: Instant
}

interface Due {
  readonly key: WorkloadKey
  readonly at: Instant
}

interface Options {
  readonly rules: Rules
  readonly clock: Clock
  /** A record changes although nobody wrote its workload: the end of an override, say. */
  readonly onDue: (key: WorkloadKey) => void
}

/** The records of workloads as JSON, each made once for all streams, and the instants at which time changes them. */
export class ListedRecords {
  readonly #options: Options
  readonly #made = new WeakMap<Workload, Made>()
  /** The entry that counts for each workload; others in the queue are stale. */
  readonly #due = new Map<string, Due>()
  readonly #queue = new Heap<Due>((a, b) => a.at - b.at)
  #timer: NodeJS.Timeout | undefined

  constructor(options: Options) {
    this.#options = options
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
    this.#due.delete(keyOf(key))
  }

  /** Workloads that time changes, and entries of the queue, stale ones included. */
  get size(): { keys: number; entries: number } {
    return { keys: this.#due.size, entries: this.#queue.length }
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#due.clear()
    this.#queue.clear()
  }

  #changesAt(workload: Workload, now: Instant): Instant | undefined {
    const { rules } = this.#options
    const reading = readWorkload(workload, rules)
    if (reading instanceof Unreadable) return undefined
    const at = decide(reading, now, rules).lookAgainAt
    if (at === undefined || at <= now) return undefined
    const id = keyOf(workload)
    if (this.#due.get(id)?.at !== at) {
      const { kind, namespace } = workload
      // Not the workload: this copy of it may be replaced long before.
      const due = { key: { kind, namespace, name: workload.name }, at }
      this.#due.set(id, due)
      this.#queue.push(due)
      if (this.#queue.length > 64 && this.#queue.length > 2 * this.#due.size) this.#compact()
      if (this.#queue.peek()?.at === at) this.#arm(now)
    }
    return at
  }

  /** Without those whose workload was found to change at another time since. */
  #compact(): void {
    this.#queue.clear()
    this.#queue.addAll([...this.#due.values()])
  }

  #arm(now: Instant): void {
    clearTimeout(this.#timer)
    const next = this.#queue.peek()
    if (!next) return
    const sleep = Math.min(Math.max(0, next.at - now), LONGEST_SLEEP)
    this.#timer = setTimeout(() => this.#tell(), sleep).unref()
  }

  #tell(): void {
    const now = this.#options.clock()
    for (let next = this.#queue.peek(); next && next.at <= now; next = this.#queue.peek()) {
      this.#queue.pop()
      const id = keyOf(next.key)
      // Otherwise it has been found to change at another time since.
      if (this.#due.get(id) !== next) continue
      this.#due.delete(id)
      this.#options.onDue(next.key)
    }
    this.#arm(now)
  }
}
