import { Heap } from 'heap-js'
import { LONGEST_SLEEP, systemLater, type Clock, type Instant, type Later, type Monotonic } from './clock.ts'

/** At most this many timers fire in one turn of the event loop: a wave keeps no request waiting, and its first write leaves early. */
const FIRES_A_TURN = 10

interface Entry {
  readonly key: string
  readonly at: Instant
}

/** One instant for each key, by the clock or by monotonic time: a heap with one armed timeout. */
export class Timers {
  readonly #fired: (key: string) => void
  readonly #clock: Clock | Monotonic
  readonly #later: Later
  readonly #heap = new Heap<Entry>((a, b) => a.at - b.at)
  /** The entry that counts for each key; others in the heap are stale, and dropped when they come to its top. */
  readonly #current = new Map<string, Entry>()
  #disarm: (() => void) | undefined
  #armedFor = Number.POSITIVE_INFINITY

  constructor(fired: (key: string) => void, clock: Clock | Monotonic, later: Later = systemLater) {
    this.#fired = fired
    this.#clock = clock
    this.#later = later
  }

  set(key: string, at: Instant): void {
    if (this.#current.get(key)?.at === at) return
    const entry = { key, at }
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
    const due = this.#takeDue(this.#clock())
    try {
      for (let next = due.shift(); next; next = due.shift()) this.#fired(next.key)
    } finally {
      for (const { key, at } of due) if (!this.#current.has(key)) this.set(key, at)
      this.#arm()
    }
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
