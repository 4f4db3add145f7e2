import type { Clock, Instant, Later, Monotonic } from '../clock.ts'
import { failureAfter, mayBeSame, type Due, type Failure, type FailureReason } from './failures.ts'
import type { Observer, Pace } from './ports.ts'
import { Timers } from './timers.ts'
import { Workers } from './workers.ts'

interface Handlers<T> {
  /** A timer of the key fired: `add` or `forget` is the answer. Must not throw. */
  readonly evaluate: (key: string) => void
  /** Does what is due, and calls `succeeded` or `failed` before it ends. Must not reject. */
  readonly work: (job: Job<T>) => Promise<void>
  /** Until when (monotonic) a task has to rest that is due and waits for no backoff; undefined: it need not. */
  readonly restsUntil: (key: string, task: T) => number | undefined
}

/** A key in a worker's hands. */
export interface Job<T> {
  readonly key: string
  readonly task: T
  /** The first instant whose timer fired since the key was last worked on: its lateness is measured from there. */
  readonly firedAt: Instant | undefined
}

interface Options {
  /** Keys in work at once. */
  readonly concurrency: number
  readonly pace: Pace
  readonly clock: Clock
  readonly monotonic: Monotonic
  readonly observer: Pick<Observer, 'queueDepth' | 'queueWait'>
  /** Default: the system's timeouts. */
  readonly later?: Later | undefined
  /** Gives [0, 1). */
  readonly random?: (() => number) | undefined
}

/** The one place that decides when a key is evaluated and worked on: its timer, its backoff, its place, and the pace. */
export class DelayingQueue<T extends Due> {
  readonly #handlers: Handlers<T>
  readonly #monotonic: Monotonic
  readonly #random: () => number
  /** The instants to evaluate keys at, by the clock. */
  readonly #timers: Timers
  /** The ends of backoffs and rests, by monotonic time, which no clock that is set changes. */
  readonly #delays: Timers
  readonly #workers: Workers<T>
  readonly #failures = new Map<string, Failure>()
  readonly #firedAt = new Map<string, Instant>()
  /** The keys in work. */
  readonly #jobs = new Map<string, Job<T>>()

  #open = false

  constructor(handlers: Handlers<T>, options: Options) {
    const { clock, monotonic, later, random = Math.random } = options
    this.#handlers = handlers
    this.#monotonic = monotonic
    this.#random = random
    this.#timers = new Timers((key, at) => this.#fired(key, at), clock, later)
    this.#delays = new Timers((key) => this.#evaluate(key), monotonic, later)
    this.#workers = new Workers((key, task) => this.#work(key, task), options)
  }

  open(): void {
    this.#open = true
    this.#workers.open()
  }

  /** Drops what waits, ignores what comes, and resolves when what is in work has ended. */
  close(): Promise<void> {
    this.#open = false
    this.#timers.clear()
    this.#delays.clear()
    this.#failures.clear()
    this.#firedAt.clear()
    return this.#workers.close()
  }

  /** The task is due: the key waits for a worker, once the task's backoff or rest has ended. */
  add(key: string, task: T): void {
    if (!this.#open) return
    const until = this.#waitsUntil(key, task)
    if (until !== undefined) {
      this.#workers.delete(key)
      this.#delays.set(key, until)
      return
    }
    this.#delays.delete(key)
    this.#workers.add(key, task)
  }

  /** Evaluates the key when the clock has reached `at`, instead of the instant given before; undefined: at none. */
  addAfter(key: string, at: Instant | undefined): void {
    if (at === undefined) this.#timers.delete(key)
    else if (this.#open) this.#timers.set(key, at)
  }

  /**
   * What was tried waits out a backoff when it is added again; another task does not. `tried` undefined: nobody knows
   * what there is to try, so the key is blocked: it is evaluated after its backoff. What waits in line goes on.
   */
  failed(key: string, why: FailureReason, tried: Due | undefined): void {
    if (!this.#open) return
    const failure = failureAfter(this.#failures.get(key), why, tried, this.#monotonic(), this.#random())
    const firedAt = this.#jobs.get(key)?.firedAt
    this.#failures.set(key, failure)
    if (firedAt !== undefined) this.#firedAt.set(key, firedAt)
    if (!tried) this.#delays.set(key, failure.notBefore)
  }

  /** What failed before has been done, or is due no more. */
  succeeded(key: string): void {
    this.#failures.delete(key)
  }

  /** Nothing is due: backoff, lateness and place of the key are forgotten. Its timer stays. */
  forget(key: string): void {
    this.#workers.delete(key)
    this.#delays.delete(key)
    this.#failures.delete(key)
    this.#firedAt.delete(key)
  }

  /** The key no longer exists. */
  drop(key: string): void {
    this.#timers.delete(key)
    this.forget(key)
  }

  /** The cluster answers again: what failed for want of an answer waits no longer. */
  reachable(key: string): void {
    if (this.#failures.get(key)?.why === 'unavailable') this.#failures.delete(key)
  }

  /** Whether the key is not to be evaluated: it waits out a failure of which nobody knows what was tried. */
  isBlocked(key: string): boolean {
    const failure = this.#failures.get(key)
    return failure !== undefined && !failure.tried && failure.notBefore > this.#monotonic()
  }

  isInWork(key: string): boolean {
    return this.#jobs.has(key)
  }

  #fired(key: string, at: Instant): void {
    if (!this.#firedAt.has(key)) this.#firedAt.set(key, at)
    // Where our own code failed before it may succeed now, and an edge does not wait for it.
    if (this.isBlocked(key)) {
      this.#failures.delete(key)
      this.#delays.delete(key)
    }
    this.#evaluate(key)
  }

  /** A key in work is evaluated by its worker, afterwards. */
  #evaluate(key: string): void {
    if (!this.isInWork(key)) this.#handlers.evaluate(key)
  }

  #waitsUntil(key: string, task: T): number | undefined {
    const now = this.#monotonic()
    const failure = this.#failures.get(key)
    const backoff = failure && mayBeSame(failure.tried, task) && failure.notBefore > now
    const until = backoff ? failure.notBefore : this.#handlers.restsUntil(key, task)
    return until !== undefined && until > now ? until : undefined
  }

  async #work(key: string, task: T): Promise<void> {
    const job = { key, task, firedAt: this.#firedAt.get(key) }
    this.#firedAt.delete(key)
    this.#jobs.set(key, job)
    try {
      await this.#handlers.work(job)
    } finally {
      this.#jobs.delete(key)
    }
  }
}
