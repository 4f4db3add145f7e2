import type { EventReason, EventSubject, Recorder } from '../../../src/kubernetes/ports.ts'
import type { Observer, SliceAction } from '../../../src/service/controller/ports.ts'
import { keyOf, type Workload } from '../../../src/domain/workload/workload.ts'

/** The reports to people and to Prometheus. */
export class Told implements Recorder, Observer {
  readonly events: string[] = []
  readonly messages: string[] = []
  readonly operations: string[] = []
  readonly durations: number[] = []
  readonly lags: number[] = []
  readonly waits: number[] = []
  readonly slices: string[] = []
  depth = 0
  /** Faults of ours. */
  failures = 0
  /** Rests of workloads that were written too often. */
  withheld = 0
  /** The recorder fails over these. */
  brokenFor: string | undefined

  record(
    subject: Workload | EventSubject,
    type: 'Normal' | 'Warning',
    reason: EventReason,
    message: string,
  ): void {
    if ('kind' in subject && keyOf(subject) === this.brokenFor) throw new Error('the recorder is broken')
    this.events.push(`${type} ${reason} ${subject.name}`)
    this.messages.push(message)
  }

  operation(...labels: Parameters<Observer['operation']>): void {
    this.operations.push(labels.join(' '))
  }

  operationDuration(_type: unknown, _kind: unknown, seconds: number): void {
    this.durations.push(seconds)
  }

  scheduleLag(seconds: number): void {
    this.lags.push(seconds)
  }

  queueDepth(depth: number): void {
    this.depth = depth
  }

  queueWait(seconds: number): void {
    this.waits.push(seconds)
  }

  sliceWritten(action: SliceAction, result: string): void {
    this.slices.push(`${action} ${result}`)
  }

  decidingFailed(): void {
    this.failures++
  }

  writeWithheld(): void {
    this.withheld++
  }
}
