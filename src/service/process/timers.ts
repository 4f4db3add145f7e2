import { Heap } from 'heap-js'
import { ClockJumps } from './clock-jumps.ts'
import { LONGEST_SLEEP, systemLater, type Clock, type Instant, type Later, type Monotonic } from './clock.ts'

/** At most this many timers fire in one turn of the event loop, so that a wave keeps no request waiting. */
const FIRES_A_TURN = 50

/** Fires only if the clock is set back. */
export const NEVER: Instant = Number.MAX_SAFE_INTEGER

interface Entry {
  readonly key: string
  readonly at: Instant
}

/**
 * One instant for each key, by the clock or by monotonic time: a heap with one armed timeout. When the clock was set
 * back, all fire: results of the wrong clock would otherwise hold until that time comes again. It notices within a
 * minute.
 */
export class Timers {
  readonly #fired: (key: string, at: Instant) => void
  readonly #clock: Clock | Monotonic
  readonly #later: Later
  readonly #jumps: ClockJumps | undefined
  readonly #heap = new Heap<Entry>((a, b) => a.at - b.at)
  /** The entry that counts for each key; others in the heap are stale, and dropped when they come to its top. */
  readonly #current = new Map<string, Entry>()
  #disarm: (() => void) | undefined
  #armedFor = Number.POSITIVE_INFINITY

  /** `monotonic` shows when the clock was set; undefined: nobody can set it. */
  constructor(
    fired: (key: string, at: Instant) => void,
    clock: Clock | Monotonic,
    later: Later = systemLater,
    monotonic?: Monotonic,
  ) {
    this.#fired = fired
    this.#clock = clock
    this.#later = later
    this.#jumps = monotonic && new ClockJumps(clock, monotonic)
  }

  set(key: string, at: Instant): void {
    // A clock that was wrong for some seconds may have caused decisions meanwhile, also about this key.
    const due = this.#noticeJump() < 0 ? Math.min(at, this.#clock()) : at
    if (this.#current.get(key)?.at === due) return this.#arm()
    const entry = { key, at: due }
    this.#current.set(key, entry)
    this.#heap.push(entry)
    if (this.#heap.length > 64 && this.#heap.length > 2 * this.#current.size) this.#compact()
    this.#arm()
  }

  /** The instant of the key; undefined: it has none. */
  at(key: string): Instant | undefined {
    return this.#current.get(key)?.at
  }

  delete(key: string): void {
    this.#current.delete(key)
  }

  clear(): void {
    this.#current.clear()
    this.#heap.clear()
    this.#disarm?.()
    this.#disarm = undefined
    this.#armedFor = Number.POSITIVE_INFINITY
  }

  /** Keys that have an instant, and entries of the heap, stale ones included. */
  get size(): { keys: number; entries: number } {
    return { keys: this.#current.size, entries: this.#heap.length }
  }

  #arm(): void {
    const first = this.#first()
    if (!first || first.at >= this.#armedFor) return
    this.#disarm?.()
    this.#armedFor = first.at
    const sleep = Math.min(Math.max(0, first.at - this.#clock()), LONGEST_SLEEP)
    this.#disarm = this.#later(() => this.#fire(), sleep)
  }

  #fire(): void {
    this.#disarm = undefined
    this.#armedFor = Number.POSITIVE_INFINITY
    this.#noticeJump()
    const due = this.#takeDue(this.#clock())
    try {
      for (let next = due.shift(); next; next = due.shift()) this.#fired(next.key, next.at)
    } finally {
      for (const { key, at } of due) if (!this.#current.has(key)) this.set(key, at)
      this.#arm()
    }
  }

  /** Returns the jump. After a jump forward, keys that became due by it are dated now. */
  #noticeJump(): number {
    const jump = this.#jumps?.taken() ?? 0
    if (jump === 0) return jump
    this.#armedFor = Number.POSITIVE_INFINITY
    const now = this.#clock()
    for (const { key, at } of this.#current.values())
      this.#current.set(key, { key, at: jump < 0 ? now : Math.max(at, now) })
    this.#compact()
    return jump
  }

  /** All are taken out before the first fires: a key that is set again meanwhile waits for the next turn. */
  #takeDue(now: Instant): Entry[] {
    const due: Entry[] = []
    for (let first = this.#first(); first && first.at <= now; first = this.#first()) {
      if (due.length === FIRES_A_TURN) break
      this.#heap.pop()
      this.#current.delete(first.key)
      due.push(first)
    }
    return due
  }

  #first(): Entry | undefined {
    for (;;) {
      const first = this.#heap.peek()
      if (!first || this.#current.get(first.key) === first) return first
      this.#heap.pop()
    }
  }

  #compact(): void {
    this.#heap.clear()
    this.#heap.addAll([...this.#current.values()])
  }
}
