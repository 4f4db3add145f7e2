import type { Clock } from '../../process/clock.ts'
import { fightOf } from '../../domain/deciding/scaling.ts'
import { isLate, troubleOfPods } from '../../domain/deciding/late.ts'
import { endingOf } from '../../domain/deciding/history.ts'
import type { Rules } from '../../domain/deciding/rules.ts'
import { Unreadable } from '../../domain/workload/state-codec.ts'
import { isManaged, settingsOf } from '../../domain/workload/settings.ts'
import { EMPTY_STATE, operationInProgress, type Operation, type State } from '../../domain/workload/state.ts'
import {
  isKnown,
  TRIGGERS,
  type Trigger,
  causeOfTrigger,
  howOfTrigger,
} from '../../domain/workload/trigger.ts'
import { durationText } from '../../domain/schedule/duration.ts'
import { troubleText } from '../../domain/workload/trouble.ts'
import { formOf } from '../../domain/sleeping/forms.ts'
import { counted, iso } from '../../domain/text.ts'
import { currentReplicas, keyOf, type Workload } from '../../domain/workload/workload.ts'
import type { Logger } from '../../process/logger.ts'
import type { EventReason, Recorder } from '../../kubernetes/ports.ts'
import type { Evaluations } from '../evaluating/ports.ts'
import type { Observer } from './ports.ts'

interface HistoryReporterPorts {
  readonly evaluations: Pick<Evaluations, 'reading'>
  readonly recorder: Recorder
  readonly observer: Pick<Observer, 'operation' | 'operationDuration'>
  readonly clock: Clock
  readonly logger: Logger
}

interface EventText {
  readonly type: 'Normal' | 'Warning'
  readonly reason: EventReason
  readonly message: string
}

/**
 * Reports new entries of a workload's history as Events, ended operations as metrics, and requests by annotation in the
 * log. So nothing is reported before it is written, and writes of other replicas are reported as well.
 */
export class HistoryReporter {
  readonly #ports: HistoryReporterPorts
  readonly #rules: Rules
  /** By uid: the latest running operation that we observed, and whether its end was counted. */
  readonly #seen = new Map<string, { readonly operation: Operation; counted: boolean }>()

  constructor(ports: HistoryReporterPorts, rules: Rules) {
    this.#ports = ports
    this.#rules = rules
  }

  /** Reports the entries that `after` has in addition to `before`, the newest copy reported so far. */
  changed(before: Workload, after: Workload): void {
    if (before.annotations.state === after.annotations.state) return
    const then = this.#readable(before)
    const now = this.#readable(after)
    this.#audit(then?.request, now?.request, after)
    if (!then || !now || now.counter <= then.counter) return
    for (const operation of now.history.toReversed()) this.#report(operation, then, now, after)
    const untold = untoldMove(then, now, after, this.#rules)
    if (untold) {
      this.#report(untold, then, now, after)
      this.#begin(after, untold)
    }
    const { recorder, clock } = this.#ports
    const { backoff } = now
    if (backoff?.cause === 'flapping' && backoff.until !== then.backoff?.until) {
      const message = `${this.#causeOf(then, now, after)} until ${iso(backoff.until)}`
      recorder.record(after, 'Warning', 'BackoffStarted', message)
    }
    const { override } = then
    if (override && override.until !== null && !now.override && override.until <= clock()) {
      recorder.record(after, 'Normal', 'OverrideExpired', `The override by ${override.by} ended`)
    }
  }

  /** A line for each request that was carried out: who, what, on which workload, as the API has it for its own. */
  #audit(then: State['request'], now: State['request'], after: Workload): void {
    if (!now || (then && then.at >= now.at)) return
    const line = { by: now.by, action: 'request', asked: now.text, workload: keyOf(after), changed: true }
    this.#ports.logger.info({ ...line, result: 'OK' }, 'audit')
  }

  /** A backoff that no operation has started: an autoscaler has woken a sleeper again. */
  #causeOf(then: State, now: State, after: Workload): string {
    const [newest] = now.history
    const isNew = newest && !then.history.some((entry) => isSame(entry, newest))
    const fight = isNew ? undefined : fightOf(after, this.#rules)
    if (fight === undefined) return 'Switched too often: the schedule is paused'
    const text = fight.charAt(0).toUpperCase() + fight.slice(1)
    return `${text}, so it stays awake (one with minReplicas 0 wakes what sleeps: kubectl get hpa)`
  }

  /** To be called with each copy: an operation also ends without a write, when its pods followed or by its timeout. */
  evaluated(workload: Workload): void {
    const state = this.#readable(workload)
    const running = state && (operationInProgress(state) ?? this.#withoutEntry(workload, state))
    if (!running) return
    const { policy } = this.#rules
    const ending = endingOf({ ...state, history: [running] }, workload, this.#ports.clock(), policy)
    if (!ending) this.#begin(workload, running)
    else this.#count(workload, { ...running, result: ending.result, duration: ending.at - running.at })
  }

  /** The running operation that we observed, and that the history has no room for. */
  #withoutEntry({ uid }: Workload, { asleep, snoozed, woken, history }: State): Operation | undefined {
    const seen = this.#seen.get(uid)
    if (!seen || seen.counted || seen.operation.result !== 'running') return undefined
    const { operation } = seen
    const isLatest = operation.at === (asleep ? snoozed : woken)?.at
    return isLatest && !history.some((entry) => isSame(entry, operation)) ? operation : undefined
  }

  /** The state that its annotations hold; undefined: none that can be read. */
  #readable(workload: Workload): State | undefined {
    if (workload.annotations.state === undefined) return EMPTY_STATE
    const reading = this.#ports.evaluations.reading(workload)
    return reading instanceof Unreadable ? undefined : reading.written
  }

  forget({ uid }: Workload): void {
    this.#seen.delete(uid)
  }

  clear(): void {
    this.#seen.clear()
  }

  #report(operation: Operation, then: State, now: State, workload: Workload): void {
    const known = then.history.some((entry) => isSame(entry, operation))
    // The Event of a failure has the cluster's own words, so the reconciler records it.
    if (!known && operation.result !== 'failed') {
      const { schedule } = settingsOf(workload, this.#rules)
      const event = eventOf(operation, now, schedule !== undefined, formOf(workload).countsPods)
      this.#ports.recorder.record(workload, event.type, event.reason, event.message)
    }
    if (known && endedLate(operation, then) && isLate({ state: now, workload })) this.#warnOfLate(workload)
    if (!known) this.#begin(workload, operation)
    if (operation.result !== 'running') this.#count(workload, operation)
  }

  #warnOfLate(workload: Workload): void {
    const { replicas, pods } = workload
    const [missing, where] = formOf(workload).countsPods
      ? [`${pods.ready} of ${counted(replicas, 'replica')} ready`, 'Its pods or their Events say']
      : ['Its operator does not say that it is ready', "Its status or its operator's log says"]
    const trouble = troubleOfPods(workload)
    const why = trouble ? `: ${troubleText(trouble)}` : `. ${where} why`
    const after = durationText(this.#rules.policy.operationTimeout)
    const message = `${missing} ${after} after it was woken${why}`
    this.#ports.recorder.record(workload, 'Warning', 'WakeTimedOut', message)
  }

  #begin({ uid }: Workload, operation: Operation): void {
    const seen = this.#seen.get(uid)
    if (!seen || !isSame(seen.operation, operation)) this.#seen.set(uid, { operation, counted: false })
  }

  /** Counts the end of an observed operation once. */
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

/**
 * The move that the state tells of and the history does not: near the limit of all annotations it is left out, and one of
 * an older release may not be read. undefined: there is none.
 */
function untoldMove(then: State, now: State, workload: Workload, rules: Rules): Operation | undefined {
  const { asleep, snoozed, woken, history } = now
  const type = asleep ? 'snooze' : 'wake'
  const at = (asleep ? snoozed : woken)?.at
  if (at === undefined || at === (asleep ? then.snoozed : then.woken)?.at) return undefined
  if (history.some((entry) => entry.type === type && entry.at === at)) return undefined
  const replicas = currentReplicas(workload)
  const { generation } = workload
  return {
    type,
    at,
    replicas,
    ...causeOf(now, isManaged(workload, rules)),
    duration: null,
    result: 'running',
    generation,
  }
}

function causeOf(
  { asleep, snoozed, intent, pin }: State,
  managed: boolean,
): Pick<Operation, 'trigger' | 'by'> {
  if (asleep && snoozed) return { trigger: snoozed.trigger, by: snoozed.by }
  if (pin) return { trigger: 'pin', by: null }
  if (!managed) return { trigger: 'disable', by: null }
  return intent?.want === 'awake'
    ? { trigger: intent.trigger, by: intent.by }
    : { trigger: 'schedule', by: null }
}

/** Whether it still ran in the state before, and its pods were not ready in time. */
function endedLate(operation: Operation, { history }: State): boolean {
  const before = history.find((entry) => isSame(entry, operation))
  return operation.result === 'timed_out' && before?.result === 'running'
}

/** Each operation is a write of its own, so no two of one type share a millisecond. */
function isSame(a: Operation, b: Operation): boolean {
  return a.at === b.at && a.type === b.type
}

/** null: Snoozed or Woken. */
const EVENT_OF: Readonly<Record<Trigger, 'PinEnforced' | 'ManualScaling' | 'StateNotSigned' | null>> = {
  schedule: null,
  api: null,
  traffic: null,
  manual: 'ManualScaling',
  deploy: null,
  pin: 'PinEnforced',
  disable: null,
  recovery: null,
  unsigned: 'StateNotSigned',
}

const NOT_SIGNED =
  'Dormouse had not signed dormouse.dev/state or its history as they stood here, so it dropped pin, override, ' +
  'request, backoff and history, as far as they were not signed, and kept the replica count: set again what is missing'

function eventOf(
  { type, trigger, at, replicas, by }: Operation,
  { snoozed }: State,
  isScheduled: boolean,
  countsPods: boolean,
): EventText {
  const asleep = type === 'snooze'
  // Not an operation: the end of an override, or of a schedule itself.
  const cause = trigger === 'schedule' && !isScheduled ? 'automatically' : causeOfTrigger(trigger)
  const author = by === null ? cause : `by ${by}${howOfTrigger(trigger)}`
  const kept = countsPods && snoozed?.at === at ? `, ${counted(snoozed.replicas, 'replica')} kept` : ''
  const count = counted(replicas, 'replica')
  const message = asleep
    ? `Put to sleep${replicas === 0 ? '' : ` at ${count}`} ${author}${kept}`
    : `Woken${countsPods ? ` to ${count}` : ''} ${author}`
  const event = isKnown(TRIGGERS, trigger) ? EVENT_OF[trigger] : null
  if (event === 'StateNotSigned') return { type: 'Warning', reason: event, message: NOT_SIGNED }
  if (event === 'PinEnforced') return { type: 'Warning', reason: event, message }
  return { type: 'Normal', reason: event ?? (asleep ? 'Snoozed' : 'Woken'), message }
}
