import type { Observer, SliceAction } from '../controller/ports.ts'
import { FINAL_RESULTS, OPERATION_RESULTS, type OperationResult } from '../../domain/workload/state.ts'
import {
  isKnown,
  OPERATION_TYPES,
  TRIGGERS,
  triggersOf,
  type Open,
  type OperationType,
  type Trigger,
} from '../../domain/workload/trigger.ts'
import { KINDS, type Kind } from '../../domain/workload/workload.ts'
import type { HandlerFailed } from './handler-failures.ts'
import type { MetricFactory } from './metric-factory.ts'

const SLICE_ACTIONS: readonly SliceAction[] = ['create', 'replace', 'delete']

/** An edge's patch: the target is 1 s. */
const LAG = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 0.75, 1, 2, 5, 10, 30, 60, 300]
/** Pods that come and go: 100 ms to 10 min. */
const PODS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120, 300, 600]

/** Metrics of the leader's controller. */
export class ControllerMetrics implements Observer {
  readonly #handlerFailed: HandlerFailed
  readonly #operations
  readonly #durations
  readonly #scheduleLag
  readonly #queueDepth
  readonly #queueWait
  readonly #withheld
  readonly #sliceWrites

  /** `slices`: how many EndpointSlices lead to wakers; `wakers`: how many of these are ready. */
  constructor(
    factory: MetricFactory,
    handlerFailed: HandlerFailed,
    { slices, wakers }: { slices: () => number; wakers: () => number | undefined },
  ) {
    this.#handlerFailed = handlerFailed
    this.#operations = factory.counter(
      'operations_total',
      'Snoozes and wakes that ended, by what triggered them and how they ended.',
      ['type', 'trigger', 'kind', 'result'],
    )
    this.#durations = factory.histogram(
      'operation_duration_seconds',
      'Time from the patch until the pods had followed.',
      ['type', 'kind'],
      PODS,
    )
    this.#scheduleLag = factory.histogram(
      'schedule_lag_seconds',
      "Time from a schedule's edge to the patch that carries it out.",
      [],
      LAG,
    )
    this.#queueDepth = factory.gauge('queue_depth', 'Workloads that wait for a worker.')
    this.#queueWait = factory.histogram('queue_wait_seconds', 'How long workloads waited for a worker.')
    this.#withheld = factory.counter(
      'writes_withheld_total',
      'Times that a workload had been written so often that its repairs and completions had to wait, by kind.',
      ['kind'],
    )
    factory.gauge(
      'traffic_slices',
      'EndpointSlices that lead the traffic of sleeping Services to wakers.',
      [],
      (gauge) => gauge.set(slices()),
    )
    factory.gauge(
      'traffic_wakers',
      'Wakers that are ready to answer for sleeping Services; absent: nothing wakes on traffic.',
      [],
      (gauge) => {
        const ready = wakers()
        if (ready !== undefined) gauge.set(ready)
      },
    )
    this.#sliceWrites = factory.counter(
      'traffic_slice_writes_total',
      'Writes of those EndpointSlices (create, replace, delete), and whether they succeeded.',
      ['action', 'result'],
    )
    for (const action of SLICE_ACTIONS)
      for (const result of ['succeeded', 'failed']) this.#sliceWrites.inc({ action, result }, 0)
    for (const kind of KINDS) {
      this.#withheld.inc({ kind }, 0)
      for (const type of OPERATION_TYPES) {
        this.#durations.zero({ type, kind })
        for (const trigger of triggersOf(type))
          for (const result of FINAL_RESULTS) this.#operations.inc({ type, trigger, kind, result }, 0)
      }
    }
  }

  operation(type: OperationType, trigger: Open<Trigger>, kind: Kind, result: Open<OperationResult>): void {
    // Values of a later release on another replica are one series, since anybody could have written them.
    this.#operations.inc({
      type,
      trigger: isKnown(TRIGGERS, trigger) ? trigger : 'other',
      kind,
      result: isKnown(OPERATION_RESULTS, result) ? result : 'other',
    })
  }

  operationDuration(type: OperationType, kind: Kind, seconds: number): void {
    this.#durations.observe({ type, kind }, seconds)
  }

  scheduleLag(seconds: number): void {
    this.#scheduleLag.observe(seconds)
  }

  queueDepth(depth: number): void {
    this.#queueDepth.set(depth)
  }

  queueWait(seconds: number): void {
    this.#queueWait.observe(seconds)
  }

  writeWithheld(kind: Kind): void {
    this.#withheld.inc({ kind })
  }

  sliceWritten(action: SliceAction, result: 'succeeded' | 'failed'): void {
    this.#sliceWrites.inc({ action, result })
  }

  decidingFailed(): void {
    this.#handlerFailed('controller')
  }
}
