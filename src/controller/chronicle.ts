import type { Clock } from '../clock.ts'
import { endingOf } from '../domain/history.ts'
import { stateOf } from '../domain/reading.ts'
import type { Rules } from '../domain/rules.ts'
import { EMPTY_STATE, operationInProgress, type Operation, type State } from '../domain/state.ts'
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
 * Tells what was done, from what the workload itself says: a new entry of its history is an Event, an operation
 * that ended is a metric. So nothing is told before it is written, and what another replica did is told as well.
 */
export class Chronicle {
  readonly #ports: ChroniclePorts
  readonly #rules: Rules
  /** The latest operation that was seen to run, by uid, and whether its end is counted. */
  readonly #seen = new Map<string, { readonly operation: Operation; counted: boolean }>()

  constructor(ports: ChroniclePorts, rules: Rules) {
    this.#ports = ports
    this.#rules = rules
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
      const message = `Switched too often: the schedule is paused until ${iso(backoff.until)}`
      recorder.record(after, 'Warning', 'BackoffStarted', message)
    }
    const { override } = then
    if (override && override.until !== null && !now.override && override.until <= clock()) {
      recorder.record(after, 'Normal', 'OverrideExpired', `The override by ${override.by} ended`)
    }
  }

  /** To be called at each look: an operation ends when its pods have followed, or its time is up, without a write. */
  looked(workload: Workload): void {
    const state = readable(workload)
    const running = state && operationInProgress(state)
    if (!running) return
    const ending = endingOf(state, workload, this.#ports.clock(), this.#rules.policy)
    if (!ending) this.#begin(workload, running)
    else this.#count(workload, { ...running, result: ending.result, duration: ending.at - running.at })
  }

  forget({ uid }: Workload): void {
    this.#seen.delete(uid)
  }

  clear(): void {
    this.#seen.clear()
  }

  #tell(operation: Operation, then: State, now: State, workload: Workload): void {
    const known = then.history.some((entry) => isSame(entry, operation))
    if (!known) {
      const event = eventOf(operation, now)
      this.#ports.recorder.record(workload, event.type, event.reason, event.message)
    }
    if (operation.result === 'running') return
    if (!known) this.#begin(workload, operation)
    this.#count(workload, operation)
  }

  #begin({ uid }: Workload, operation: Operation): void {
    const seen = this.#seen.get(uid)
    if (!seen || !isSame(seen.operation, operation)) this.#seen.set(uid, { operation, counted: false })
  }

  /** Counts the end of an operation that was seen to run; once. */
  #count({ uid, kind }: Workload, operation: Operation): void {
    const seen = this.#seen.get(uid)
    if (!seen || seen.counted || !isSame(seen.operation, operation)) return
    seen.counted = true
    const { observer } = this.#ports
    const { type, trigger, result, duration } = operation
    observer.operation(type, trigger, kind, result)
    if (result === 'succeeded') observer.operationDuration(type, kind, (duration ?? 0) / 1000)
  }
}

/** Each is a write of its own, so no two of a type share a millisecond. */
function isSame(a: Operation, b: Operation): boolean {
  return a.at === b.at && a.type === b.type
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

function readable(workload: Workload): State | undefined {
  return workload.annotations.state === undefined ? EMPTY_STATE : stateOf(workload)
}
