import type { Monotonic } from '../clock.ts'
import type { Observer, Pace, Priority } from './ports.ts'

const ORDER: readonly Priority[] = ['wake', 'snooze', 'completion']

interface Waiting<T> {
  readonly task: T
  /** Monotonic: since when the key waits. */
  readonly since: number
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
  readonly #waiting: Readonly<Record<Priority, Map<string, Waiting<T>>>> = {
    wake: new Map(),
    snooze: new Map(),
    completion: new Map(),
  }
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
    for (const keys of Object.values(this.#waiting)) keys.clear()
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
    const { priority } = task
    const present = this.#waiting[priority].get(key)
    const since = present?.since ?? this.#remove(key)?.since ?? this.#options.monotonic()
    this.#waiting[priority].set(key, { task, since })
    if (!present) this.#handOut()
  }

  /** Nothing is to be done for the key any more; what is in work goes on. */
  delete(key: string): void {
    this.#again.delete(key)
    if (this.#remove(key)) this.#options.observer.queueDepth(this.depth)
  }

  get depth(): number {
    return ORDER.reduce((sum, priority) => sum + this.#waiting[priority].size, 0)
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
    for (const priority of ORDER) {
      const [first] = this.#waiting[priority]
      if (!first || !this.#options.pace.hasRoom(priority)) continue
      const [key, waiting] = first
      this.#waiting[priority].delete(key)
      return { key, ...waiting }
    }
    return undefined
  }

  #remove(key: string): Waiting<T> | undefined {
    for (const keys of Object.values(this.#waiting)) {
      const waiting = keys.get(key)
      if (waiting && keys.delete(key)) return waiting
    }
    return undefined
  }
}
