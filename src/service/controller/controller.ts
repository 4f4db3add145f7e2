import { systemLater } from '../../process/clock.ts'
import type { Rules } from '../../domain/deciding/rules.ts'
import { keyOf, type Kind, type Workload } from '../../domain/workload/workload.ts'
import type { Runnable } from '../../process/runnable.ts'
import { AnnotationWarnings } from './annotation-warnings.ts'
import { HistoryReporter } from './history-reporter.ts'
import { LastKnownMarks } from './last-known-marks.ts'
import { NamespaceWarnings } from './namespace-warnings.ts'
import { OtherWriters } from './other-writers.ts'
import { Pauses } from './pauses.ts'
import { Slices } from './slices.ts'
import type { ControllerPorts, ControllerSettings } from './ports.ts'
import { ReconcileLoop } from './reconcile-loop.ts'
import { isRelevant } from '../../domain/deciding/relevance.ts'
import { inTurns } from '../../process/turns.ts'

const STOP_WITHIN_MS = 2000

/**
 * Brings workloads to the state of their intents and schedules: reports changes, and hands possible writes to the
 * reconcile loop. Nothing runs between events and timers.
 */
export class Controller implements Runnable {
  readonly name = 'controller'
  readonly #ports: ControllerPorts
  readonly #settings: ControllerSettings
  readonly #marks: LastKnownMarks
  readonly #reporter: HistoryReporter
  readonly #others: OtherWriters
  readonly #warnings: AnnotationWarnings
  readonly #namespaceWarnings: NamespaceWarnings
  readonly #loop: ReconcileLoop
  /** undefined: nothing is paused beside sleepers. */
  readonly #pauses: Pauses | undefined
  /** undefined: no traffic wakes anything. */
  readonly #slices: Slices | undefined
  #running = false
  #listening = false
  #firstEvaluations = Promise.resolve()
  #stopped = Promise.resolve()
  /** Cancels waits and reads. */
  #ending = new AbortController()
  /** Also aborts writes in flight. */
  #cut = new AbortController()

  constructor(ports: ControllerPorts, rules: Rules, settings: ControllerSettings) {
    this.#ports = ports
    this.#settings = settings
    this.#marks = new LastKnownMarks(rules)
    this.#reporter = new HistoryReporter(ports, rules)
    this.#warnings = new AnnotationWarnings(ports)
    this.#namespaceWarnings = new NamespaceWarnings(ports, rules, settings.excludeNamespaces)
    this.#others = new OtherWriters(ports, rules)
    const known = { marks: this.#marks, reporter: this.#reporter }
    this.#loop = new ReconcileLoop(ports, rules, settings, known)
    const { pausing, slicing } = ports
    this.#pauses = pausing && new Pauses({ ...ports, pausing, marks: this.#marks }, rules, settings)
    this.#slices = slicing && new Slices({ ...ports, slicing }, settings)
  }

  /**
   * Evaluates every workload once; the caches must be synced. Waits first for jobs in work at the last `stop`. Rejects
   * when it is stopped before that.
   */
  async start(): Promise<void> {
    const ending = new AbortController()
    const cut = new AbortController()
    this.#ending = ending
    this.#cut = cut
    await this.#stopped
    ending.signal.throwIfAborted()
    this.#running = true
    this.#loop.open({ signal: ending.signal, cut: cut.signal })
    if (!this.#listening) this.#listen()
    const { workloads, namespaces } = this.#ports
    for (const namespace of namespaces?.list() ?? []) this.#namespaceWarnings.changed(undefined, namespace)
    const evaluate = (workload: Workload) => this.#changed(undefined, workload)
    this.#firstEvaluations = inTurns(workloads.list(), evaluate, ending.signal)
    this.#pauses?.open({ signal: ending.signal, cut: cut.signal })
    this.#slices?.open({ signal: ending.signal, cut: cut.signal })
    await this.#firstEvaluations
  }

  /** Finishes writes in flight within `stopWithin` and forgets everything else: it follows from the workloads. */
  stop(): Promise<void> {
    this.#running = false
    this.#ending.abort()
    this.#stopped = this.#windDown(this.#cut)
    return this.#stopped
  }

  async #windDown(cut: AbortController): Promise<void> {
    const { later = systemLater } = this.#ports
    const disarm = later(() => cut.abort(), this.#settings.stopWithin ?? STOP_WITHIN_MS)
    await Promise.all([
      this.#loop.close(),
      this.#pauses?.close(),
      this.#slices?.close(),
      this.#firstEvaluations,
    ])
    disarm()
    this.#marks.clear()
    this.#reporter.clear()
    this.#others.clear()
    this.#warnings.clear()
    this.#namespaceWarnings.clear()
  }

  #listen(): void {
    const { workloads, namespaces } = this.#ports
    namespaces?.onChange((before, after) => {
      if (this.#running) this.#namespaceWarnings.changed(before, after)
    })
    workloads.onChange((before, after) => this.#changed(before, after))
    workloads.onConnection((connected, kind) => {
      this.#loop.connection(kind, connected)
      if (!connected || !this.#running) return
      this.#pauses?.connected()
      this.#slices?.stateChanged()
    })
    workloads.onRestored((kind) => this.#restored(kind))
    const companions = this.#ports.pausing?.companions
    companions?.onChange((before, after) => {
      const companion = after ?? before
      if (this.#running && companion) this.#pauses?.changed(companion)
    })
    companions?.onConnection((connected) => {
      if (connected && this.#running) this.#pauses?.connected()
    })
    this.#listenToTraffic()
    this.#listening = true
  }

  #listenToTraffic(): void {
    const copies = this.#ports.slicing?.copies
    copies?.onService((before, after) => {
      const service = after ?? before
      if (this.#running && service) this.#slices?.serviceChanged(service)
    })
    copies?.onSlice((before, after) => {
      if (this.#running) this.#slices?.sliceChanged(before, after)
    })
    copies?.onState(() => {
      if (this.#running) this.#slices?.stateChanged()
    })
  }

  #changed(before: Workload | undefined, after: Workload | undefined): void {
    const workload = after ?? before
    if (!this.#running || !workload || this.#settings.excludeNamespaces.has(workload.namespace)) return
    const same = before?.uid === after?.uid
    if (before && !same) this.#forget(before)
    try {
      if (after) this.#saw(same ? before : undefined, after)
      // It may have left an owner, which is beside the former copy alone.
      if (!before || !after || !same || isRelevant(before, after))
        for (const copy of [before, after]) if (copy) this.#pauses?.workloadChanged(copy)
      this.#slices?.workloadChanged(before, after)
    } catch (error) {
      this.#loop.failedOver(keyOf(workload), error)
    }
  }

  #saw(before: Workload | undefined, after: Workload): void {
    const known = this.#marks.of(after)?.workload ?? before
    const inOrder = this.#marks.note(after, before)
    if (inOrder && known) {
      this.#reporter.changed(known, after)
      this.#others.changed(known, after)
    }
    // (copy, copy): only an input of the decision has changed.
    if (before === after) this.#loop.inputsChanged(after)
    else if (!before || isRelevant(before, after)) this.#loop.workloadChanged(after)
    if (this.#marks.isInOrder(after)) this.#warnings.changed(before, after)
  }

  /** A restored backup invalidates the last known marks; the workloads are evaluated once the watch is connected. */
  #restored(kind: Kind): void {
    if (!this.#running) return
    for (const workload of this.#ports.workloads.list()) {
      if (workload.kind !== kind || this.#settings.excludeNamespaces.has(workload.namespace)) continue
      this.#marks.forget(workload)
      this.#marks.note(workload)
    }
  }

  #forget(workload: Workload): void {
    this.#marks.forget(workload)
    this.#reporter.forget(workload)
    this.#others.forget(workload)
    this.#warnings.forget(workload)
    this.#loop.drop(workload)
  }
}
