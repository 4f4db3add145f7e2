import { Heap } from 'heap-js'
import { ClockJumps } from '../../clock-jumps.ts'
import { LONGEST_SLEEP, type Clock, type Instant, type Later, type Monotonic } from '../../clock.ts'
import { decide } from '../../domain/decide.ts'
import { readWorkload } from '../../domain/reading.ts'
import { listedRecord } from '../../domain/record.ts'
import type { Rules } from '../../domain/rules.ts'
import { Unreadable } from '../../domain/state-codec.ts'
import { keyOf, type Workload, type WorkloadKey } from '../../domain/workload.ts'

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

interface Due {
  readonly key: WorkloadKey
  readonly at: Instant
}

interface Options {
  readonly rules: Rules
  readonly clock: Clock
  /** Tells when the clock was set. */
  readonly monotonic: Monotonic
  /** Default: the system's timeouts. */
  readonly later?: Later | undefined
  /** A record changes although nobody wrote its workload: the end of an override, say. */
  readonly onDue: (key: WorkloadKey) => void
  /** The clock was set back: any record may have been told by the time that was wrong. */
  readonly onSetBack: () => void
}

/** The records of workloads as JSON, each made once for all streams, and the instants at which time changes them. */
export class ListedRecords {
  readonly #options: Options
  readonly #made = new WeakMap<Workload, Made>()
  readonly #due = new Map<string, Instant>()
  readonly #queue = new Heap<Due>((a, b) => a.at - b.at)
  readonly #jumps: ClockJumps
  #wasSetBack = false
  #disarm: (() => void) | undefined

  constructor(options: Options) {
    this.#options = options
    this.#jumps = new ClockJumps(options.clock, options.monotonic)
    this.#arm(options.clock())
  }

  textOf(workload: Workload): string {
    const { clock, rules } = this.#options
    const now = clock()
    // Also one that was wrong for some seconds: what was told meanwhile is wrong for longer.
    if (this.#noticeJump()) this.#arm(now)
    const known = this.#made.get(workload)
    if (known && known.at <= now && now < known.until) return known.text
    const text = JSON.stringify(listedRecord(workload, now, rules))
    const changes = this.#changesAt(workload, now)
    this.#made.set(workload, { text, at: now, until: Math.min(now + FRESH, changes ?? Infinity) })
    return text
  }

  /** What it inherits may have changed, so the record is made anew. */
  changed(workload: Workload): void {
    this.#made.delete(workload)
  }

  gone(key: WorkloadKey): void {
    this.#due.delete(keyOf(key))
  }

  stop(): void {
    this.#disarm?.()
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
    if (this.#due.get(id) !== at) {
      this.#due.set(id, at)
      const { kind, namespace } = workload
      // Not the workload: this copy of it may be replaced long before.
      this.#queue.push({ key: { kind, namespace, name: workload.name }, at })
      if (this.#queue.peek()?.at === at) this.#arm(now)
    }
    return at
  }

  /** Whether the clock was found to be set back just now; then that is to be told. */
  #noticeJump(): boolean {
    const isSetBack = this.#jumps.taken() < 0
    this.#wasSetBack ||= isSetBack
    return isSetBack
  }

  #arm(now: Instant): void {
    this.#disarm?.()
    const next = this.#wasSetBack ? now : (this.#queue.peek()?.at ?? Number.POSITIVE_INFINITY)
    const sleep = Math.min(Math.max(0, next - now), LONGEST_SLEEP)
    this.#disarm = (this.#options.later ?? quietLater)(() => this.#tell(), sleep)
  }

  #tell(): void {
    const now = this.#options.clock()
    this.#noticeJump()
    if (this.#wasSetBack) {
      this.#wasSetBack = false
      this.#due.clear()
      this.#queue.clear()
      this.#options.onSetBack()
    }
    for (let next = this.#queue.peek(); next && next.at <= now; next = this.#queue.peek()) {
      this.#queue.pop()
      const id = keyOf(next.key)
      // Otherwise it has been found to change at another time since.
      if (this.#due.get(id) !== next.at) continue
      this.#due.delete(id)
      this.#options.onDue(next.key)
    }
    this.#arm(now)
  }
}
