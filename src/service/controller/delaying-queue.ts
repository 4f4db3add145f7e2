import type { Pace } from '../../kubernetes/ports.ts'
import type { Later, Monotonic } from '../../process/clock.ts'
import { Timers } from '../../process/timers.ts'
import { backoff, holdsUp, timesInARow, type Due, type Failure, type FailureReason } from './failures.ts'
import { Lines, type Line } from './lines.ts'
import type { Observer } from './ports.ts'

interface Handlers<T> {
  /** Its backoff or delay has ended, or its task may be another: answer with `add` or `forget`. Must not throw. */
  readonly evaluate: (key: string) => void
  /**
   * Carries out the task, and calls `succeeded` or `failed` before it ends. Must not reject, and sends its first write
   * before it waits for anything: `pace` relies on that.
   */
  readonly work: (job: Job<T>) => Promise<void>
  /** The end (monotonic) of the delay of a task that is due without a backoff; undefined: do it now. */
  readonly delayedUntil: (key: string, task: T) => number | undefined
}

/** A key in a worker's hands. */
export interface Job<T> {
  readonly key: string
  readonly task: T
  /** Monotonic: since when an instant has made it due; undefined: none has. */
  readonly dueSince: number | undefined
  /** An input other than the key's object changed meanwhile, or time alone. */
  inputsChanged: boolean
}

interface Options {
  /** Keys in work at once. */
  readonly concurrency: number
  readonly pace: Pace
  readonly monotonic: Monotonic
  readonly observer: Pick<Observer, 'queueDepth' | 'queueWait'>
  /** Default: the system's timeouts. */
  readonly later?: Later | undefined
  /** Gives [0, 1). */
  readonly random?: (() => number) | undefined
}

/** The record of one key. It waits in a line, or is in work, or neither. */
interface Entry<T> {
  readonly key: string
  /** The task that is due: it waits in `line`, or for the end of `job`. */
  task: T | undefined
  line: Line<Entry<T>> | undefined
  /** Monotonic: since when it waits in line. */
  since: number
  job: Job<T> | undefined
  /** `dueSince` of the next job. */
  dueSince: number | undefined
  failure: Failure | undefined
}

/**
 * The one place that decides when a key is worked on: by its backoff, its priority and its age, as many at once as
 * `concurrency` and as fast as `pace` allow. A key is never in two workers' hands; one that is added while in work is
 * worked on again afterwards. A key has an entry only while something is due, in work or failed.
 */
export class DelayingQueue<T extends Due> {
  readonly #handlers: Handlers<T>
  readonly #options: Options
  readonly #entries = new Map<string, Entry<T>>()
  readonly #lines: Lines<Entry<T>>
  /** The ends of backoffs and delays, and changes of tasks, by monotonic time, which setting a clock does not change. */
  readonly #timers: Timers
  #inWork = 0
  #open = false
  #idle = Promise.withResolvers<void>()

  constructor(handlers: Handlers<T>, options: Options) {
    const { monotonic, later, pace } = options
    this.#handlers = handlers
    this.#options = options
    this.#lines = new Lines(pace)
    this.#timers = new Timers((key) => this.#evaluate(key), monotonic, later)
    pace.onRoom(() => this.#handOut())
  }

  open(): void {
    this.#open = true
    this.#idle = Promise.withResolvers()
  }

  /** Drops waiting tasks, ignores new ones, and resolves when the jobs in work have ended. */
  async close(): Promise<void> {
    this.#open = false
    for (const key of this.#entries.keys()) this.forget(key)
    this.#timers.clear()
    if (this.#inWork > 0) await this.#idle.promise
  }

  /**
   * The task is due: the key waits for a worker, once the task's backoff or delay has ended. A waiting key keeps its
   * age, and also its place unless its priority has changed. `dueSince`: see `Job`.
   */
  add(key: string, task: T, dueSince?: number): void {
    if (!this.#open) return
    const until = this.#backoffOf(key, task) ?? this.#handlers.delayedUntil(key, task)
    const entry = this.#entryOf(key)
    entry.dueSince ??= dueSince
    const again = Math.min(until ?? Number.POSITIVE_INFINITY, task.changesAt ?? Number.POSITIVE_INFINITY)
    if (Number.isFinite(again)) this.#timers.set(key, again)
    else this.#timers.delete(key)
    if (until !== undefined) {
      this.#takeBack(entry)
      this.#tidy(entry)
      return
    }
    entry.task = task
    if (!entry.job) this.#lineUp(entry, task)
  }

  /**
   * The task that was tried waits out a backoff when it is added again; another task does not. `tried` undefined: the
   * task is unknown, so the key is blocked: it is evaluated after its backoff. A task in line goes on.
   */
  failed(key: string, why: FailureReason, tried: Due | undefined): void {
    if (!this.#open) return
    const { monotonic, random = Math.random } = this.#options
    const entry = this.#entryOf(key)
    const { job, failure, dueSince } = entry
    // A fault of our own may be over by now, and an edge must not wait for it.
    const mayBeOver = !tried && job?.inputsChanged
    const times = timesInARow(failure, tried)
    const notBefore = monotonic() + (mayBeOver ? 0 : backoff(why, times, random()))
    entry.failure = { why, tried, times, notBefore }
    entry.dueSince = job?.dueSince ?? dueSince
    if (!tried) this.#timers.set(key, notBefore)
  }

  /** The task that failed has been done, or is no longer due. */
  succeeded(key: string): void {
    const entry = this.#entries.get(key)
    if (!entry) return
    entry.failure = undefined
    this.#tidy(entry)
  }

  /** Nothing is due: backoff, lateness and place of the key are forgotten. */
  forget(key: string): void {
    this.#timers.delete(key)
    const entry = this.#entries.get(key)
    if (!entry) return
    entry.failure = undefined
    entry.dueSince = undefined
    this.#takeBack(entry)
    this.#tidy(entry)
  }

  /** An input other than the key's object changed, or time alone: a fault of our own may be over. */
  inputsChanged(key: string): void {
    const entry = this.#entries.get(key)
    if (entry?.job) entry.job.inputsChanged = true
    if (entry?.failure && !entry.failure.tried) this.succeeded(key)
  }

  /** The cluster answers again: a key that failed for want of an answer waits no longer. */
  reachable(key: string): void {
    if (this.#entries.get(key)?.failure?.why === 'unavailable') this.succeeded(key)
  }

  /** Whether the key must not be evaluated: it waits out a failure whose task nobody knows. */
  isBlocked(key: string): boolean {
    const failure = this.#entries.get(key)?.failure
    return failure !== undefined && !failure.tried && failure.notBefore > this.#options.monotonic()
  }

  /** How many keys have an entry. */
  get size(): number {
    return this.#entries.size
  }

  /** How many keys wait for a worker. */
  get depth(): number {
    return this.#lines.length
  }

  /** undefined: the key is not in work. */
  jobOf(key: string): Job<T> | undefined {
    return this.#entries.get(key)?.job
  }

  #backoffOf(key: string, task: T): number | undefined {
    const failure = this.#entries.get(key)?.failure
    return failure && holdsUp(failure, task, this.#options.monotonic()) ? failure.notBefore : undefined
  }

  /** A key in work is evaluated by its worker, afterwards. */
  #evaluate(key: string): void {
    if (!this.jobOf(key)) this.#handlers.evaluate(key)
  }

  #lineUp(entry: Entry<T>, { priority }: T): void {
    const line = this.#lines.of(entry.key, priority)
    if (entry.line === line) return
    if (!entry.line) entry.since = this.#options.monotonic()
    entry.line?.delete(entry)
    entry.line = line.add(entry)
    this.#handOut()
  }

  /** Its task is no longer due, or not yet. */
  #takeBack(entry: Entry<T>): void {
    entry.task = undefined
    if (!entry.line) return
    entry.line.delete(entry)
    entry.line = undefined
    this.#options.observer.queueDepth(this.depth)
  }

  #handOut(): void {
    const { concurrency, observer } = this.#options
    while (this.#open && this.#inWork < concurrency) {
      const next = this.#lines.next()
      if (!next?.task) break
      void this.#work(next, next.task)
    }
    observer.queueDepth(this.depth)
  }

  async #work(entry: Entry<T>, task: T): Promise<void> {
    const { key, line, since, dueSince } = entry
    const { monotonic, observer } = this.#options
    line?.delete(entry)
    entry.line = undefined
    entry.task = undefined
    entry.dueSince = undefined
    entry.job = { key, task, dueSince, inputsChanged: false }
    this.#inWork += 1
    observer.queueWait(Math.max(0, monotonic() - since) / 1000)
    try {
      await this.#handlers.work(entry.job)
    } finally {
      this.#inWork -= 1
      entry.job = undefined
      this.#tidy(entry)
      if (entry.task) this.#lineUp(entry, entry.task)
      else this.#handOut()
      if (this.#inWork === 0 && !this.#open) this.#idle.resolve()
    }
  }

  #entryOf(key: string): Entry<T> {
    const known = this.#entries.get(key)
    if (known) return known
    const entry: Entry<T> = {
      key,
      task: undefined,
      line: undefined,
      since: 0,
      job: undefined,
      dueSince: undefined,
      failure: undefined,
    }
    this.#entries.set(key, entry)
    return entry
  }

  /** Deletes an entry that holds nothing any more. */
  #tidy({ key, task, job, failure, dueSince }: Entry<T>): void {
    if (!task && !job && !failure && dueSince === undefined) this.#entries.delete(key)
  }
}
