import type { Clock, Instant, Later } from '../process/clock.ts'
import { Failures, type Due, type FailureReason } from './failures.ts'
import { Timers } from '../process/timers.ts'
import { Workers, type WorkersOptions } from './workers.ts'

interface Handlers<T> {
  /** A timer of the key fired: `add` or `forget` is the answer. Must not throw. */
  readonly evaluate: (key: string) => void
  /** Does what is due, and calls `succeeded` or `failed` before it ends. Must not reject. */
  readonly work: (job: Job<T>) => Promise<void>
  /** Until when (monotonic) a task rests that is due and waits for no backoff; undefined: it may be done now. */
  readonly restsUntil: (key: string, task: T) => number | undefined
}

/** A key in a worker's hands. */
export interface Job<T> {
  readonly key: string
  readonly task: T
  /**
   * Monotonic: the first instant whose timer fired since the key was last worked on. Its lateness is measured from
   * there; undefined: none fired.
   */
  readonly dueSince: number | undefined
}

interface Options extends WorkersOptions {
  readonly clock: Clock
  /** Default: the system's timeouts. */
  readonly later?: Later | undefined
  /** Gives [0, 1). */
  readonly random?: (() => number) | undefined
}

/** The one place that decides when a key is evaluated and worked on: its timer, its backoff, its place, and the pace. */
export class DelayingQueue<T extends Due> {
  readonly #handlers: Handlers<T>
  readonly #options: Pick<Options, 'clock' | 'monotonic'>
  /** The instants to evaluate keys at, by the clock. */
  readonly #timers: Timers
  /** The ends of backoffs and rests, by monotonic time, which no clock that is set changes. */
  readonly #delays: Timers
  readonly #workers: Workers<T>
  readonly #failures: Failures
  readonly #dueSince = new Map<string, number>()
  /** The keys in work. */
  readonly #jobs = new Map<string, Job<T>>()
  #open = false

  constructor(handlers: Handlers<T>, options: Options) {
    const { clock, monotonic, later, random } = options
    this.#handlers = handlers
    this.#options = options
    this.#failures = new Failures(monotonic, random)
    this.#timers = new Timers((key, at) => this.#fired(key, at), clock, later, monotonic)
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
    this.#dueSince.clear()
    return this.#workers.close()
  }

  /** The task is due: the key waits for a worker, once the task's backoff or rest has ended. */
  add(key: string, task: T): void {
    if (!this.#open) return
    const until = this.#failures.backoffOf(key, task) ?? this.#handlers.restsUntil(key, task)
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
    const before = this.#timers.at(key)
    // Something else had it evaluated at that instant, before the timer fired.
    if (before !== undefined && before <= this.#options.clock()) this.#cameDue(key, before)
    if (at === undefined) this.#timers.delete(key)
    else if (this.#open) this.#timers.set(key, at)
  }

  /**
   * What was tried waits out a backoff when it is added again; another task does not. `tried` undefined: nobody knows
   * what there is to try, so the key is blocked: it is evaluated after its backoff. What waits in line goes on.
   */
  failed(key: string, why: FailureReason, tried: Due | undefined): void {
    if (!this.#open) return
    const job = this.#jobs.get(key)
    // An edge that came while the key was in work does not wait for what our own code failed over.
    const edgeCame = !tried && job !== undefined && this.#dueSince.has(key)
    const until = this.#failures.add(key, why, tried, !edgeCame)
    if (job?.dueSince !== undefined) this.#dueSince.set(key, job.dueSince)
    if (!tried) this.#delays.set(key, until)
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
    this.#dueSince.delete(key)
  }

  /** The key no longer exists. */
  drop(key: string): void {
    this.#timers.delete(key)
    this.forget(key)
  }

  /** The cluster answers again: what failed for want of an answer waits no longer. */
  reachable(key: string): void {
    this.#failures.reachable(key)
  }

  /** Whether the key is not to be evaluated: it waits out a failure of which nobody knows what was tried. */
  isBlocked(key: string): boolean {
    return this.#failures.isBlocked(key)
  }

  /** How many keys wait for a worker. */
  get depth(): number {
    return this.#workers.depth
  }

  isInWork(key: string): boolean {
    return this.#jobs.has(key)
  }

  #cameDue(key: string, at: Instant): void {
    const { clock, monotonic } = this.#options
    if (!this.#dueSince.has(key)) this.#dueSince.set(key, monotonic() - Math.max(0, clock() - at))
  }

  #fired(key: string, at: Instant): void {
    this.#cameDue(key, at)
    // Where our own code failed before it may succeed now, and an edge does not wait for it.
    if (this.#failures.unblock(key)) this.#delays.delete(key)
    this.#evaluate(key)
  }

  /** A key in work is evaluated by its worker, afterwards. */
  #evaluate(key: string): void {
    if (!this.isInWork(key)) this.#handlers.evaluate(key)
  }

  async #work(key: string, task: T): Promise<void> {
    const job = { key, task, dueSince: this.#dueSince.get(key) }
    this.#dueSince.delete(key)
    this.#jobs.set(key, job)
    try {
      await this.#handlers.work(job)
    } finally {
      this.#jobs.delete(key)
    }
  }
}
