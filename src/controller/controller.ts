import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  systemLater,
  systemMonotonic,
  type Clock,
  type Instant,
  type Later,
  type Monotonic,
} from '../clock.ts'
import type { Rules } from '../domain/rules.ts'
import { isOlder } from '../domain/marks.ts'
import { keyOf, parseKey, type Workload } from '../domain/workload.ts'
import type { Logger } from '../logger.ts'
import type { Runnable } from '../runnable.ts'
import { HistoryReporter } from './history-reporter.ts'
import { AnnotationWarnings } from './annotation-warnings.ts'
import { LastKnownMarks } from './last-known-marks.ts'
import { Outages } from './outages.ts'
import type { Observer, Priority, Recorder, Scalings, Workloads, Writer } from './ports.ts'
import { WorkQueue } from './queue.ts'
import { Reconciler } from './reconciler.ts'
import { isRelevant } from './relevance.ts'
import { Retries, type Due } from './retries.ts'
import { Timers } from './timers.ts'
import { WriteBudget } from './write-budget.ts'

interface ControllerPorts {
  readonly workloads: Workloads
  readonly writer: Writer
  /** undefined: there is no webhook that could have seen any. */
  readonly scalings?: Scalings | undefined
  readonly recorder: Recorder
  readonly observer: Observer
  readonly clock: Clock
  readonly logger: Logger
  /** Default: the system's. */
  readonly monotonic?: Monotonic
  /** Default: the system's timeouts. */
  readonly later?: Later
}

interface ControllerSettings {
  readonly concurrency: number
  /** A minute; edges apart. */
  readonly writesPerWorkload: number
  readonly excludeNamespaces: ReadonlySet<string>
  /** Milliseconds that writes which were sent may take when it stops; default 2,000. */
  readonly stopWithin?: number
}

const STOP_WITHIN_MS = 2000
/** So many are looked at in one turn of the event loop when it starts. */
const LOOKS_A_TURN = 50

/**
 * Acts on workloads: each event and each timer evaluates one workload without I/O; an evaluation that finds
 * something to write to a place in the queue. Between events and instants nothing runs.
 */
export class Controller implements Runnable {
  readonly name = 'controller'
  readonly #ports: ControllerPorts
  readonly #excluded: ReadonlySet<string>
  readonly #marks = new LastKnownMarks()
  readonly #retries = new Retries()
  readonly #outages: Outages
  readonly #budget: WriteBudget
  readonly #writesPerWorkload: number
  readonly #reporter: HistoryReporter
  readonly #warnings: AnnotationWarnings
  /** The instants to look again at, by the clock. */
  readonly #timers: Timers
  /** The ends of delays, which no clock that is set may change. */
  readonly #delays: Timers
  readonly #reconciler: Reconciler
  readonly #queue: WorkQueue
  /** The instants that rang for keys which have not been acted on since: what a lag is measured from. */
  readonly #rung = new Map<string, Instant>()
  readonly #monotonic: Monotonic
  readonly #stopWithin: number
  #running = false
  #listening = false
  #firstLook = Promise.resolve()
  #stopped = Promise.resolve()
  /** Ends what waits or reads. */
  #ending = new AbortController()
  /** Ends writes that were sent. */
  #cut = new AbortController()

  constructor(ports: ControllerPorts, rules: Rules, settings: ControllerSettings) {
    const { clock, monotonic = systemMonotonic, observer, later } = ports
    this.#monotonic = monotonic
    this.#ports = ports
    this.#excluded = settings.excludeNamespaces
    this.#stopWithin = settings.stopWithin ?? STOP_WITHIN_MS
    this.#outages = new Outages(ports.workloads)
    this.#writesPerWorkload = settings.writesPerWorkload
    this.#budget = new WriteBudget(settings.writesPerWorkload)
    this.#reporter = new HistoryReporter(ports, rules)
    this.#warnings = new AnnotationWarnings(ports, rules)
    this.#timers = new Timers((key, at) => this.#rang(key, at), clock, later)
    this.#delays = new Timers((key) => this.#look(key), monotonic, later)
    this.#reconciler = new Reconciler(ports, rules, this.#marks)
    const work = (key: string, priority: Priority) =>
      this.#work(key, priority).catch((error: unknown) => this.#stumbled(key, error))
    this.#queue = new WorkQueue(work, settings.concurrency, monotonic, observer)
  }

  /**
   * Looks at every workload once; the caches must be synced. What a `stop` has left in work is waited
   * for. Rejects when it is stopped before that.
   */
  async start(): Promise<void> {
    const ending = new AbortController()
    this.#ending = ending
    this.#cut = new AbortController()
    await this.#stopped
    ending.signal.throwIfAborted()
    this.#running = true
    this.#queue.open()
    if (!this.#listening) this.#listen()
    this.#firstLook = this.#lookAtAll()
    await this.#firstLook
  }

  /**
   * Finishes writes that were sent, at most for `stopWithin`, and forgets the rest: the workloads
   * themselves know what is due.
   */
  stop(): Promise<void> {
    this.#running = false
    this.#timers.clear()
    this.#delays.clear()
    this.#ending.abort()
    this.#stopped = this.#windDown(this.#cut)
    return this.#stopped
  }

  #listen(): void {
    const { workloads } = this.#ports
    workloads.onChange((before, after) => this.#changed(before, after))
    workloads.onConnection((kind, connected) => {
      if (connected) void this.#takeUp(this.#outages.ended(kind))
      else this.#outages.began(kind)
    })
    this.#listening = true
  }

  async #windDown(cut: AbortController): Promise<void> {
    const { later = systemLater } = this.#ports
    const disarm = later(() => cut.abort(), this.#stopWithin)
    await this.#firstLook
    await this.#queue.close()
    disarm()
    this.#rung.clear()
    this.#outages.clear()
    this.#budget.clear()
    this.#retries.clear()
    this.#marks.clear()
    this.#reporter.clear()
  }

  async #lookAtAll(): Promise<void> {
    let looks = 0
    for (const workload of this.#ports.workloads.list()) {
      this.#changed(undefined, workload)
      // The next one is taken from the list only afterwards: it may change meanwhile.
      if (++looks % LOOKS_A_TURN === 0) await nextTurn()
      if (!this.#running) return
    }
  }

  /** Everything that waited for the cluster goes out at once: what failed for want of it waits no longer either. */
  async #takeUp(keys: readonly string[]): Promise<void> {
    let looks = 0
    for (const key of keys) {
      if (!this.#running) return
      this.#retries.reachable(key)
      this.#look(key)
      if (++looks % LOOKS_A_TURN === 0) await nextTurn()
    }
  }

  /** A fault of ours over one workload is that workload's alone: it is tried again, and touches no other. */
  #changed(before: Workload | undefined, after: Workload | undefined): void {
    const workload = after ?? before
    if (!this.#running || !workload || this.#excluded.has(workload.namespace)) return
    const same = before?.uid === after?.uid
    if (before && !same) this.#forget(before)
    if (!after) return
    try {
      this.#saw(same ? before : undefined, after)
    } catch (error) {
      this.#stumbled(keyOf(after), error)
    }
  }

  #saw(before: Workload | undefined, after: Workload): void {
    const known = this.#marks.of(after)?.workload ?? before
    const inOrder = this.#marks.note(after)
    if (inOrder && known) this.#reporter.changed(known, after)
    if (!before || isRelevant(before, after)) this.#consider(after)
    if (this.#marks.isInOrder(after)) this.#warnings.changed(before, after)
  }

  #rang(key: string, at: Instant): void {
    if (!this.#rung.has(key)) this.#rung.set(key, at)
    // What we failed over before may go well now, and an edge does not wait for it.
    if (this.#retries.blockedUntil(key) !== undefined) this.#retries.succeeded(key)
    this.#look(key)
  }

  /** Looks at the newest copy that is known: the informer's, unless the one that was found is ahead of it. */
  #look(key: string, found?: Workload): void {
    const copy = this.#ports.workloads.get(parseKey(key))
    if (!copy) return this.#drop(key)
    const ahead = found?.uid === copy.uid && isOlder(copy, found)
    try {
      this.#consider(ahead ? found : copy)
    } catch (error) {
      this.#stumbled(key, error)
    }
  }

  #consider(workload: Workload): void {
    const key = keyOf(workload)
    if (this.#outages.holds(workload.kind, key)) return this.#queue.forget(key)
    this.#reporter.evaluated(workload)
    if (this.#waits(key, this.#retries.blockedUntil(key))) return
    const { due, lookAgainAt } = this.#reconciler.evaluate(workload)
    if (lookAgainAt === undefined) this.#timers.delete(key)
    else this.#timers.set(key, lookAgainAt)
    if (due && this.#waits(key, this.#retries.notBefore(key, due))) return
    if (due && this.#rests(workload, due)) return
    this.#delays.delete(key)
    if (due) return this.#queue.add(key, due.priority)
    this.#queue.forget(key)
    this.#retries.succeeded(key)
    this.#rung.delete(key)
  }

  /** Whether a key is left alone until a (monotonic) time that is yet to come; then it is looked at again. */
  #waits(key: string, notBefore: number | undefined): boolean {
    if (notBefore === undefined || notBefore <= this.#monotonic()) return false
    this.#queue.forget(key)
    this.#delays.set(key, notBefore)
    return true
  }

  /** Whether a workload was written so often that what is due has to wait. */
  #rests(workload: Workload, due: Due): boolean {
    const key = keyOf(workload)
    const now = this.#monotonic()
    const rest = this.#budget.restOf(key, due, now)
    if (!rest) return false
    const { logger, observer, recorder } = this.#ports
    if (rest.news) observer.writeWithheld(workload.kind)
    if (rest.news === 'episode') {
      const message =
        `Written ${this.#writesPerWorkload} times within a minute, because something undoes it: the next write ` +
        `waits ${Math.ceil((rest.until - now) / 1000)} s, and then longer. The schedule is still kept. ` +
        "`kubectl get --show-managed-fields` tells who else writes Dormouse's label and annotations"
      logger.warn({ workload: key }, message)
      recorder.record(workload, 'Warning', 'TooManyWrites', message)
    }
    return this.#waits(key, rest.until)
  }

  async #work(key: string, priority: Priority): Promise<void> {
    const { kind } = parseKey(key)
    if (this.#outages.holds(kind, key)) return
    const rung = this.#rung.get(key)
    this.#rung.delete(key)
    const signal = AbortSignal.any([this.#ending.signal, this.#outages.signal(kind)])
    const stopping = { signal, cut: this.#cut.signal }
    const outcome = await this.#reconciler.reconcile(parseKey(key), priority, stopping)
    const { clock, observer } = this.#ports
    if (outcome.type === 'done') {
      const edge = outcome.moved?.dueAt
      if (outcome.wrote) this.#budget.wrote(key, edge, this.#monotonic())
      if (edge !== undefined && rung !== undefined) observer.scheduleLag(Math.max(0, clock() - rung) / 1000)
    }
    if (!this.#running) return
    if (outcome.type === 'done') {
      this.#retries.succeeded(key)
      return this.#look(key, outcome.workload)
    }
    if (rung !== undefined) this.#rung.set(key, rung)
    if (this.#outages.holds(kind, key)) return
    this.#retries.failed(key, outcome.why, outcome.tried, this.#monotonic())
    this.#look(key)
  }

  #stumbled(key: string, error: unknown): void {
    const { logger, observer } = this.#ports
    logger.error({ workload: key, err: error }, 'the controller failed over a workload')
    observer.decidingFailed()
    if (!this.#running) return
    this.#delays.set(key, this.#retries.failed(key, 'refused', undefined, this.#monotonic()))
  }

  #forget(workload: Workload): void {
    this.#marks.forget(workload)
    this.#reporter.forget(workload)
    this.#drop(keyOf(workload))
  }

  #drop(key: string): void {
    this.#retries.succeeded(key)
    this.#rung.delete(key)
    this.#timers.delete(key)
    this.#delays.delete(key)
    this.#queue.forget(key)
  }
}
