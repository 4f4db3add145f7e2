import type { Instant } from '../../process/clock.ts'
import type { Sleep } from '../schedule/schedule.ts'
import type { IntentTrigger, Open, OperationType, Trigger } from './trigger.ts'
import type { Kind } from './workload.ts'

// Each list is the one source of its type, of the stored state's schema, of the OpenAPI document and of the metrics.

/** How an operation ended. */
export const FINAL_RESULTS = ['succeeded', 'timed_out', 'failed', 'superseded'] as const
export const OPERATION_RESULTS = ['running', ...FINAL_RESULTS] as const
export type OperationResult = (typeof OPERATION_RESULTS)[number]

/** Whether it sleeps, or its pods are still to follow the latest snooze or wake. */
export const PHASES = ['awake', 'asleep', 'waking', 'falling_asleep'] as const

/** The hold that keeps its schedule from acting; the first that applies. */
export const HOLDERS = ['pin', 'override', 'backoff'] as const

export const PIN_STATES = ['active', 'snoozed'] as const
export type PinState = (typeof PIN_STATES)[number]

export const BACKOFF_CAUSES = ['flapping', 'failure'] as const
export type BackoffCause = (typeof BACKOFF_CAUSES)[number]

/** The state that a person, an API client or the schedule asked for last. */
export interface Intent {
  readonly want: Sleep
  readonly at: Instant
  /** From the request's `for`: until then only a request or a manual wake replaces the intent. */
  readonly until?: Instant
  /** Until when a wake without `for` lasts, if no edge comes first. */
  readonly hold?: Instant
  /** The state when it was formed: without a schedule, it returns once `until` has passed. */
  readonly before: Sleep
  readonly by: string | null
  readonly trigger: Open<IntentTrigger>
}

export interface Pin {
  readonly state: PinState
  readonly replicas: number
  readonly at: Instant
  readonly by: string
}

export interface Override {
  /** null: permanent. */
  readonly until: Instant | null
  readonly at: Instant
  readonly by: string
}

export interface Backoff {
  readonly until: Instant
  /** How many backoffs in a row: each doubles the wait. */
  readonly times: number
  readonly cause: Open<BackoffCause>
  /** In the cluster's words, why it refused the last attempt: on one line, and cut. */
  readonly refusal?: string
}

export interface Operation {
  readonly type: OperationType
  readonly trigger: Open<Trigger>
  readonly at: Instant
  /** The count after it. */
  readonly replicas: number
  /** Milliseconds; null while running. */
  readonly duration: number | null
  readonly by: string | null
  readonly result: Open<OperationResult>
  /** While running: the `metadata.generation` of its own write; a later one is somebody else's. */
  readonly generation?: number
}

/** An operation that a later release wrote in words that this one cannot read: it is written back, and nothing else. */
export interface UnreadOperation {
  readonly at: Instant
  readonly by: string | null
  readonly word: string
}

export interface Snoozed {
  readonly at: Instant
  /** The kept count, which a wake restores. DaemonSet: for information. */
  readonly replicas: number
  readonly trigger: Open<Trigger>
  readonly by: string | null
  /** The count that it sleeps with, if it keeps no fewer; absent: 0. */
  readonly rest?: number
}

/** The latest wake. After a manual wake to fewer replicas than were kept, `kept` come back while it still has `set`. */
export interface Woken {
  readonly at: Instant
  readonly kept?: number
  readonly set?: number
}

/** The latest request that an annotation brought and that changed something. */
export interface Asked {
  /** As it was written, with single spaces. */
  readonly text: string
  readonly at: Instant
  readonly by: string
  /** The controller still has to wake the workload: a CronJob, whose status is written first. */
  readonly pending?: true
}

/**
 * The state that Dormouse keeps on a workload, in the annotations `dormouse.dev/state` and, for operations,
 * `dormouse.dev/history`. It and its parts may hold keys of a later release, which no type names: spread them when
 * changing one, so that they are written back.
 */
export interface State {
  /** Grows by one at each write. */
  readonly counter: number
  readonly asleep: boolean
  /** The latest snooze; while asleep, the one in force. */
  readonly snoozed?: Snoozed
  readonly woken?: Woken
  readonly intent?: Intent
  readonly pin?: Pin
  readonly override?: Override
  readonly backoff?: Backoff
  /** By it the repetition of a write is recognised whose answer was lost. */
  readonly request?: Asked
  /** Newest first, at most 20; the newest is the operation in progress while its result is `running`. */
  readonly history: readonly Operation[]
  /** Newest first. */
  readonly unreadHistory?: readonly UnreadOperation[]
}

/** As stored: a state is written for one kind, and is ignored on another. */
export type StoredState = State & { readonly kind: Kind }

export const EMPTY_STATE: State = { counter: 0, asleep: false, history: [] }

/** Whether it counts as asleep or awake. */
export function presentState({ asleep }: State): Sleep {
  return asleep ? 'asleep' : 'awake'
}

/** The highest count with which it is at rest. */
export function restOf(state: State | undefined): number {
  const { asleep, snoozed } = state ?? {}
  return asleep ? Math.min(snoozed?.rest ?? 0, snoozed?.replicas ?? 0) : 0
}

export function withRest(snoozed: Snoozed, rest: number): Snoozed {
  const { rest: _, ...others } = snoozed
  return rest === 0 ? others : { ...others, rest }
}

/** Whether nothing is left that only a managed workload has. */
export function isCleared({ pin, override, intent, backoff }: State): boolean {
  return !(pin ?? override ?? intent ?? backoff)
}

/** The value of the label `dormouse.dev/held`; undefined: nothing holds the workload. A pin counts before an override. */
export function heldBy({ pin, override }: State): 'pin' | 'override' | undefined {
  if (pin) return 'pin'
  return override && 'override'
}

/** The state without pin, override, intent and backoff: an unmanaged workload has none. */
export function cleared(state: State): State {
  return without(state, 'pin', 'override', 'intent', 'backoff')
}

/** The same state where it has none of these. */
export function without(state: State, ...names: ('pin' | 'override' | 'intent' | 'backoff')[]): State {
  if (names.every((name) => state[name] === undefined)) return state
  const kept = { ...state }
  for (const name of names) delete kept[name]
  return kept
}

/** The wake request that the controller has to carry out, unless another request came since. */
export function pendingWake({ request, asleep, intent }: State): Asked | undefined {
  return request?.pending && asleep && intent?.want === 'awake' ? request : undefined
}

/** The state without what the controller was to carry out. */
export function withoutPending(state: State): State {
  if (!state.request?.pending) return state
  const { pending: _, ...request } = state.request
  return { ...state, request }
}

/** The operation whose pods have not all followed yet. */
export function operationInProgress(state: State): Operation | undefined {
  const newest = state.history[0]
  return newest?.result === 'running' ? newest : undefined
}
