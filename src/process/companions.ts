import { systemLater, systemMonotonic, type Later, type Monotonic } from './clock.ts'
import { retryDelay } from './delay.ts'
import type { Runnable } from './runnable.ts'

/** The change that an object needs at present. */
export interface Due {
  /** Names the change: after a failure the same one waits out its pause, and another one does not. */
  readonly change: string
  /** Whether it goes before those that are not. */
  readonly isUrgent?: boolean
}

/** The object to keep right, and the way to do it. Nothing here may throw, except for `due` and `reconcile`. */
interface Options {
  readonly name: string
  /**
   * Puts the object of this key right. Resolves with the milliseconds until it is looked at again even if nothing
   * changes; undefined: not before it changes. `stop` aborts the signal and waits for it.
   */
  readonly reconcile: (key: string, signal: AbortSignal) => Promise<number | undefined>
  /**
   * Called when `due` or `reconcile` has thrown, `times` in a row. Returns the milliseconds until it is tried again;
   * undefined: not before it changes.
   */
  readonly failed: (error: unknown, key: string, times: number) => number | undefined
  /** The work to do, found without I/O; undefined: nothing. Default: `reconcile` finds out. */
  readonly due?: (key: string) => Due | undefined
  /** Whether this replica may write at this very moment; while it may not, a key waits as after a failure. */
  readonly mayWrite?: (() => boolean) | undefined
  /** Keys in work at once; default 1. */
  readonly concurrency?: number
  readonly monotonic?: Monotonic | undefined
  readonly later?: Later | undefined
}

interface Entry {
  readonly key: string
  /** Monotonic: when it is looked at next. */
  at: number
  /** Ends the wait for `at`. */
  disarm: (() => void) | undefined
  due: Due
  inWork: boolean
  /** In a row. */
  failures: number
  /** The change whose failure it waits out; `unknown`: `due` has thrown. */
  failed: Due | 'unknown' | undefined
}

/** The key where there is one object. */
const ONE = ''
const SOMETHING: Due = { change: '' }
const NEVER = Number.POSITIVE_INFINITY
/** Milliseconds: the first and the longest pause while this replica may not write. */
const MAY_NOT_WRITE = [200, 30_000] as const

/**
 * The loop that keeps objects right which follow from others: something has changed, so look at what is due, write it,
 * try again after a failure. A key is never in work twice at a time; if it changes meanwhile, it is looked at again
 * afterwards. Keys of which nothing is due, in work or failed are forgotten. It can be started again after `stop`.
 */
export class Companions implements Runnable {
  readonly name: string
  readonly #options: Options
  readonly #monotonic: Monotonic
  readonly #later: Later
  readonly #entries = new Map<string, Entry>()
  /** Those that wait for a place: the urgent ones, and all others. */
  readonly #lines = [new Set<Entry>(), new Set<Entry>()] as const
  readonly #works = new Set<Promise<void>>()
  /** undefined: not started, or stopped. */
  #life: AbortController | undefined

  constructor(options: Options) {
    const { name, monotonic = systemMonotonic, later = systemLater } = options
    this.name = name
    this.#options = options
    this.#monotonic = monotonic
    this.#later = later
  }

  async start(): Promise<void> {
    this.#life = new AbortController()
  }

  /** Forgets what is due, and resolves when nothing is in work any more. */
  async stop(): Promise<void> {
    this.#life?.abort()
    this.#life = undefined
    for (const { disarm } of this.#entries.values()) disarm?.()
    for (const each of [this.#entries, ...this.#lines]) each.clear()
    await this.idle()
  }

  /** Resolves when nothing is in work, or in line for it. */
  async idle(): Promise<void> {
    while (this.#works.size > 0) await Promise.all(this.#works)
  }

  /** It has changed, or what it follows from: look at it within so many milliseconds. */
  changed(key = ONE, within = 0): void {
    if (!this.#life) return
    const entry = this.#entries.get(key) ?? this.#added(key)
    if (!entry.failed || this.#needsAnother(entry)) this.#lookAt(entry, this.#monotonic() + within)
  }

  #added(key: string): Entry {
    const idle = { at: NEVER, disarm: undefined, inWork: false, failures: 0, failed: undefined }
    const entry = { key, due: SOMETHING, ...idle }
    this.#entries.set(key, entry)
    return entry
  }

  #due(key: string): Due | undefined {
    return this.#options.due ? this.#options.due(key) : SOMETHING
  }

  /** Whether another change than the failed one is due, or none: then the failure is over. */
  #needsAnother(entry: Entry): boolean {
    const { key, failed } = entry
    if (!failed || failed === 'unknown') return false
    try {
      if (this.#due(key)?.change === failed.change) return false
    } catch {
      return false
    }
    entry.failed = undefined
    entry.failures = 0
    return true
  }

  /** Looks at it at that instant, unless it does so sooner; while it is in work, afterwards. */
  #lookAt(entry: Entry, at: number): void {
    const isArmed = entry.disarm && entry.at <= at
    entry.at = Math.min(entry.at, at)
    if (entry.inWork || isArmed) return
    this.#disarm(entry)
    const wait = entry.at - this.#monotonic()
    if (wait <= 0) this.#look(entry)
    else if (wait === NEVER) this.#entries.delete(entry.key)
    else entry.disarm = this.#later(() => this.#look(entry), wait)
  }

  #disarm(entry: Entry): void {
    entry.disarm?.()
    entry.disarm = undefined
  }

  /** Puts it in line if something is due. In line already, it keeps its place unless its urgency has changed. */
  #look(entry: Entry): void {
    entry.at = NEVER
    entry.disarm = undefined
    entry.failed = undefined
    let due: Due | undefined
    try {
      due = this.#due(entry.key)
    } catch (error) {
      this.#leaveLines(entry)
      return this.#rest(entry, 'unknown', this.#options.failed(error, entry.key, ++entry.failures))
    }
    const [urgent, others] = this.#lines
    const line = due && (due.isUrgent ? urgent : others)
    this.#leaveLines(entry, line)
    if (!due) this.#entries.delete(entry.key)
    else entry.due = due
    line?.add(entry)
    this.#handOut()
  }

  #leaveLines(entry: Entry, except?: ReadonlySet<Entry>): void {
    for (const line of this.#lines) if (line !== except) line.delete(entry)
  }

  #handOut(): void {
    const { concurrency = 1 } = this.#options
    for (const line of this.#lines)
      for (const entry of line) {
        if (!this.#life || this.#works.size >= concurrency) return
        const { signal } = this.#life
        line.delete(entry)
        entry.inWork = true
        // Not within this call: the caller may be in the middle of a change.
        const begun = Promise.resolve().then(() => this.#work(entry, signal))
        const work = begun.finally(() => {
          this.#works.delete(work)
          this.#handOut()
        })
        this.#works.add(work)
      }
  }

  async #work(entry: Entry, signal: AbortSignal): Promise<void> {
    const { reconcile, failed, mayWrite = () => true } = this.#options
    const { key } = entry
    if (signal.aborted) return
    // It sees what has changed until now.
    this.#disarm(entry)
    entry.at = NEVER
    let after: () => void
    try {
      if (mayWrite()) {
        const wait = (await reconcile(key, signal)) ?? NEVER
        entry.failures = 0
        after = () => this.#lookAt(entry, this.#monotonic() + wait)
      } else after = () => this.#rest(entry, entry.due, retryDelay(++entry.failures, ...MAY_NOT_WRITE))
    } catch (error) {
      after = () => this.#rest(entry, entry.due, failed(error, key, ++entry.failures))
    }
    entry.inWork = false
    if (!signal.aborted) after()
  }

  /** Waits after a failure, unless it has changed meanwhile so that another change is due. */
  #rest(entry: Entry, failed: Due | 'unknown', pause: number | undefined): void {
    const hasChanged = entry.at !== NEVER
    entry.failed = pause === undefined ? undefined : failed
    if (pause === undefined || (hasChanged && this.#needsAnother(entry))) return this.#lookAt(entry, entry.at)
    entry.at = this.#monotonic() + pause
    this.#lookAt(entry, entry.at)
  }
}
