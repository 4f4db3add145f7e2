import type { Clock } from '../clock.ts'
import { readableState } from '../domain/state-codec.ts'
import { EMPTY_STATE, type Operation, type State } from '../domain/state.ts'
import { counted, iso } from '../domain/text.ts'
import type { Workload } from '../domain/workload.ts'
import type { EventReason, Observer, Recorder } from './ports.ts'

interface ChroniclePorts {
  readonly recorder: Recorder
  readonly observer: Pick<Observer, 'operation' | 'operationDuration'>
  readonly clock: Clock
}

interface Told {
  readonly type: 'Normal' | 'Warning'
  readonly reason: EventReason
  readonly message: string
}

/**
 * Tells what was done, from what the workload itself says: a new entry of its history is an Event, an
 * entry that ended is a metric. So nothing is told before it is written, and what another replica
 * did is told as well.
 */
export class Chronicle {
  readonly #ports: ChroniclePorts

  constructor(ports: ChroniclePorts) {
    this.#ports = ports
  }

  /** `before` is the newest copy that was told of, `after` a newer one. */
  changed(before: Workload, after: Workload): void {
    if (before.annotations.state === after.annotations.state) return
    const then = readable(before)
    const now = readable(after)
    if (!then || !now || now.counter <= then.counter) return
    for (const operation of now.history.toReversed()) this.#tell(operation, then, now, after)
    const { recorder, clock } = this.#ports
    const { backoff } = now
    if (backoff?.cause === 'flapping' && backoff.until !== then.backoff?.until) {
      const message = `Switched too often: automatic behaviour rests until ${iso(backoff.until)}`
      recorder.record(after, 'Warning', 'BackoffStarted', message)
    }
    const { override } = then
    if (override && override.until !== null && !now.override && override.until <= clock()) {
      recorder.record(after, 'Normal', 'OverrideExpired', `The override by ${override.by} ended`)
    }
  }

  #tell(operation: Operation, then: State, now: State, workload: Workload): void {
    const { recorder, observer } = this.#ports
    const { type, trigger, at, result, duration } = operation
    // Each is a write of its own, so no two of a type share a millisecond.
    const known = then.history.find((entry) => entry.at === at && entry.type === type)
    if (!known) {
      const event = eventOf(operation, now)
      recorder.record(workload, event.type, event.reason, event.message)
    }
    if (result === 'running' || known?.result === result) return
    observer.operation(type, trigger, workload.kind, result)
    if (result === 'succeeded') observer.operationDuration(type, workload.kind, (duration ?? 0) / 1000)
  }
}

function eventOf({ type, trigger, at, replicas, by, result }: Operation, { snoozed }: State): Told {
  const asleep = type === 'snooze'
  const whom = by === null ? `by ${trigger}` : `by ${by} (${trigger})`
  if (result === 'failed') {
    const reason = asleep ? 'SnoozeFailed' : 'WakeFailed'
    return { type: 'Warning', reason, message: `The cluster refused the ${type} ${whom}` }
  }
  const kept = snoozed?.at === at ? `, ${counted(snoozed.replicas, 'replica')} kept` : ''
  const message = asleep ? `Snoozed ${whom}${kept}` : `Woken ${whom} to ${counted(replicas, 'replica')}`
  if (trigger === 'pin')
    return { type: 'Warning', reason: 'PinEnforced', message: `${message}: it is pinned` }
  if (trigger === 'manual') return { type: 'Normal', reason: 'ManualScaling', message }
  return { type: 'Normal', reason: asleep ? 'Snoozed' : 'Woken', message }
}

function readable({ annotations: { state } }: Workload): State | undefined {
  return state === undefined ? EMPTY_STATE : readableState(state)
}
