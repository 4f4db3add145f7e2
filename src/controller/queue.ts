import type { Monotonic } from '../clock.ts'
import type { Observer, Priority } from './ports.ts'

const ORDER: readonly Priority[] = ['wake', 'snooze', 'completion']
/** Wakes may be paced: they never hold more of the workers than this. */
const WAKES_SHARE = 3 / 4

/**
 * Keys that wait for a worker: each at most once, by priority and then by age. A key is never in two
 * workers' hands; one that is added while in work is worked on again afterwards.
 */
export class WorkQueue {
  readonly #waiting: Readonly<Record<Priority, Map<string, number>>> = {
    wake: new Map(),
    snooze: new Map(),
    completion: new Map(),
  }
  readonly #inWork = new Map<string, Priority>()
  readonly #again = new Map<string, Priority>()
  readonly #work: (key: string, priority: Priority) => Promise<void>
  readonly #concurrency: number
  readonly #wakesAtOnce: number
  readonly #monotonic: Monotonic
  readonly #observer: Pick<Observer, 'queueDepth' | 'queueWait'>
  #wakesInWork = 0
  #open = false
  #idle = Promise.withResolvers<void>()

  /** `work` must not reject: what went wrong with a key is its own affair. */
  constructor(
    work: (key: string, priority: Priority) => Promise<void>,
    concurrency: number,
    monotonic: Monotonic,
    observer: Pick<Observer, 'queueDepth' | 'queueWait'>,
  ) {
    this.#work = work
    this.#concurrency = concurrency
    this.#wakesAtOnce = Math.ceil(concurrency * WAKES_SHARE)
    this.#monotonic = monotonic
    this.#observer = observer
  }

  open(): void {
    this.#open = true
    this.#idle = Promise.withResolvers()
  }

  /** Takes no more work and resolves when what is in work is done; what waits is forgotten. */
  async close(): Promise<void> {
    this.#open = false
    for (const keys of Object.values(this.#waiting)) keys.clear()
    this.#again.clear()
    this.#observer.queueDepth(0)
    if (this.#inWork.size > 0) await this.#idle.promise
  }

  add(key: string, priority: Priority): void {
    if (!this.#open) return
    if (this.#inWork.has(key)) {
      this.#again.set(key, priority)
      return
    }
    if (this.#waiting[priority].has(key)) return
    const since = this.#remove(key) ?? this.#monotonic()
    this.#waiting[priority].set(key, since)
    this.#pump()
  }

  /** A key that needs no work any more. */
  forget(key: string): void {
    this.#again.delete(key)
    if (this.#remove(key) !== undefined) this.#observer.queueDepth(this.depth)
  }

  get depth(): number {
    return ORDER.reduce((sum, priority) => sum + this.#waiting[priority].size, 0)
  }

  #pump(): void {
    while (this.#open && this.#inWork.size < this.#concurrency) {
      const next = this.#next()
      if (!next) break
      this.#observer.queueWait(Math.max(0, this.#monotonic() - next.since) / 1000)
      this.#inWork.set(next.key, next.priority)
      if (next.priority === 'wake') this.#wakesInWork++
      void this.#work(next.key, next.priority).finally(() => this.#done(next.key))
    }
    this.#observer.queueDepth(this.depth)
  }

  #done(key: string): void {
    if (this.#inWork.get(key) === 'wake') this.#wakesInWork--
    this.#inWork.delete(key)
    const again = this.#again.get(key)
    this.#again.delete(key)
    if (again) this.add(key, again)
    else this.#pump()
    if (this.#inWork.size === 0 && !this.#open) this.#idle.resolve()
  }

  #next(): { key: string; priority: Priority; since: number } | undefined {
    for (const priority of ORDER) {
      if (priority === 'wake' && this.#wakesInWork >= this.#wakesAtOnce) continue
      const [first] = this.#waiting[priority]
      if (!first) continue
      this.#waiting[priority].delete(first[0])
      return { key: first[0], priority, since: first[1] }
    }
    return undefined
  }

  #remove(key: string): number | undefined {
    for (const keys of Object.values(this.#waiting)) {
      const since = keys.get(key)
      if (since !== undefined && keys.delete(key)) return since
    }
    return undefined
  }
}
