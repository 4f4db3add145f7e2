import type { Monotonic } from '../process/clock.ts'
import type { Pace, Priority } from '../../kubernetes/ports.ts'
import type { Observer } from './ports.ts'

const ORDER: readonly Priority[] = ['wake', 'snooze', 'completion']

interface Waiting<T> {
  readonly task: T
  /** Monotonic: since when the key waits. */
  readonly since: number
}

/** The keys that wait, oldest first. */
type Lane<T> = Readonly<Record<Priority, Map<string, Waiting<T>>>>

function laneOf<T>(): Lane<T> {
  return { wake: new Map(), snooze: new Map(), completion: new Map() }
}

export interface WorkersOptions {
  /** Keys in work at once. */
  readonly concurrency: number
  readonly pace: Pace
  readonly monotonic: Monotonic
  readonly observer: Pick<Observer, 'queueDepth' | 'queueWait'>
}

/**
 * Works on keys that are due: by priority, then by age, as many at once as `concurrency` and as fast as `pace` allow.
 * A key is never in two workers' hands; one that is added while in work is worked on again afterwards.
 */
export class Workers<T extends { readonly priority: Priority }> {
  readonly #ordinary = laneOf<T>()
  /** Of keys whose last write was slow: they do not wait in line with the others. */
  readonly #slow = laneOf<T>()
  readonly #inWork = new Set<string>()
  readonly #again = new Map<string, T>()
  readonly #work: (key: string, task: T) => Promise<void>
  readonly #options: WorkersOptions
  #open = false
  #idle = Promise.withResolvers<void>()

  /** `work` must not reject, and sends its first write before it waits for anything: `pace` counts on that. */
  constructor(work: (key: string, task: T) => Promise<void>, options: WorkersOptions) {
    this.#work = work
    this.#options = options
    options.pace.onRoom(() => this.#handOut())
  }

  open(): void {
    this.#open = true
    this.#idle = Promise.withResolvers()
  }

  /** Drops what waits, and resolves when what is in work has ended. */
  async close(): Promise<void> {
    this.#open = false
    for (const keys of this.#lines()) keys.clear()
    this.#again.clear()
    this.#options.observer.queueDepth(0)
    if (this.#inWork.size > 0) await this.#idle.promise
  }

  /** A key that waits already keeps its age, and also its place unless its priority has changed. */
  add(key: string, task: T): void {
    if (!this.#open) return
    if (this.#inWork.has(key)) {
      this.#again.set(key, task)
      return
    }
    const lane = this.#options.pace.isSlow(key) ? this.#slow : this.#ordinary
    const line = lane[task.priority]
    const present = line.get(key)
    const since = present?.since ?? this.#remove(key)?.since ?? this.#options.monotonic()
    line.set(key, { task, since })
    if (!present) this.#handOut()
  }

  /** Nothing is to be done for the key any more; what is in work goes on. */
  delete(key: string): void {
    this.#again.delete(key)
    if (this.#remove(key)) this.#options.observer.queueDepth(this.depth)
  }

  get depth(): number {
    return this.#lines().reduce((sum, { size }) => sum + size, 0)
  }

  #handOut(): void {
    const { concurrency, monotonic, observer } = this.#options
    while (this.#open && this.#inWork.size < concurrency) {
      const next = this.#next()
      if (!next) break
      observer.queueWait(Math.max(0, monotonic() - next.since) / 1000)
      this.#inWork.add(next.key)
      void this.#work(next.key, next.task).finally(() => this.#ended(next.key))
    }
    observer.queueDepth(this.depth)
  }

  #ended(key: string): void {
    this.#inWork.delete(key)
    const again = this.#again.get(key)
    this.#again.delete(key)
    if (again) this.add(key, again)
    else this.#handOut()
    if (this.#inWork.size === 0 && !this.#open) this.#idle.resolve()
  }

  #next(): ({ readonly key: string } & Waiting<T>) | undefined {
    const { pace } = this.#options
    for (const priority of ORDER)
      for (const lane of [this.#ordinary, this.#slow]) {
        const [first] = lane[priority]
        if (!first || !pace.hasRoom(priority, lane === this.#slow)) continue
        const [key, waiting] = first
        lane[priority].delete(key)
        return { key, ...waiting }
      }
    return undefined
  }

  #lines(): Map<string, Waiting<T>>[] {
    return [this.#ordinary, this.#slow].flatMap((lane) => Object.values(lane))
  }

  #remove(key: string): Waiting<T> | undefined {
    for (const keys of this.#lines()) {
      const waiting = keys.get(key)
      if (waiting && keys.delete(key)) return waiting
    }
    return undefined
  }
}
