import type { Instant } from '../../service/process/clock.ts'
import type { ReasonValues, Remedy } from '../workload/explanation.ts'
import type { Backoff, Intent, Trigger } from '../workload/state.ts'

export type ReasonCode =
  | 'deleting'
  | 'not_managed'
  | 'namespace_unknown'
  | 'scaled_by_other'
  | 'scaled_to_zero'
  | 'kept_by_other'
  | 'invalid_state'
  | 'enabled_unclear'
  | 'disabled'
  | 'pinned'
  | 'pin_enforced'
  | 'overridden'
  | 'backoff'
  | 'manual_scaling'
  | 'recovery'
  | 'data_at_risk'
  | 'held_by_keda'
  | 'schedule'
  | 'intent'
  | 'until'
  | 'until_passed'
  | 'grace'
  | 'nothing_automatic'

/** Why the decision is as it is: the text is for people, code and values for programs. */
export interface Reason {
  readonly code: ReasonCode
  readonly text: string
  /** What the text contains. */
  readonly values: ReasonValues
  /** What ends it; absent: nothing does, or time. */
  readonly remedy?: Remedy
  /** The text tells what is wrong with the schedule. */
  readonly saysFault?: true
  /** What is true until the transition is done, which the text tells as if it were: nothing says that it sleeps. */
  readonly pending?: () => string
}

/** What programs are told beside a text; values that take work are made when they are first read. */
interface Told {
  readonly values?: ReasonValues | (() => ReasonValues)
  readonly remedy?: Remedy | undefined
}

/** A reason whose text and values are made when they are first read: of most decisions nobody reads them. */
export function because(
  code: ReasonCode,
  text: () => string,
  { values, remedy, ...more }: Told & Pick<Reason, 'saysFault' | 'pending'> = {},
): Reason {
  let made: string | undefined
  let known = typeof values === 'function' ? undefined : (values ?? {})
  return {
    ...more,
    ...(remedy && { remedy }),
    code,
    get text() {
      return (made ??= text())
    },
    get values() {
      return (known ??= (values as () => ReasonValues)())
    },
  }
}

/** The same reason in other words, which are made when they are first read; what is left out stays as it is. */
export function reworded(
  reason: Reason,
  words: (text: string) => string,
  {
    code = reason.code,
    values = () => reason.values,
    remedy = reason.remedy,
  }: Told & { code?: ReasonCode } = {},
): Reason {
  const { saysFault } = reason
  return because(code, () => words(reason.text), { values, remedy, ...(saysFault && { saysFault }) })
}

/** The reason as it is while the decision is not carried out. */
export function textBefore(reason: Reason): string {
  return reason.pending?.() ?? reason.text
}

/** What to do with a workload now, and why (design, section 4). */
export interface Decision {
  /** `adopt`: somebody else woke it or scaled it down; Dormouse's marks follow the pods. */
  readonly action: 'snooze' | 'wake' | 'adopt' | 'none'
  readonly reason: Reason
  readonly trigger: Trigger
  readonly by: string | null
  /** The count to wake to, or to keep while asleep. */
  readonly replicas: number
  /** Somebody woke it to fewer replicas than were kept: as many stay kept. */
  readonly kept?: number | undefined
  /** The intent to write with it. */
  readonly intent?: Intent
  /** The marks follow what somebody else did to the pods; neither pin, override nor backoff stops that. */
  readonly adopts?: true
  readonly overrideExpired?: true
  /** An autoscaler wakes a sleeper again and again: nobody fights it until this ends. */
  readonly rests?: Backoff
  /** Managing was turned off: pin, override, intent and backoff are removed. */
  readonly cleared?: true
  /** The instant at which the clock made it due; undefined: something else did. */
  readonly dueAt?: Instant
  /** When to look again if nothing changes before. */
  readonly lookAgainAt?: Instant
}

/** What one rule decides; `decide` fills in the rest. */
export type PartialDecision = Pick<Decision, 'action' | 'reason'> & Partial<Decision>

export function noAction(code: ReasonCode, text: () => string, more: Told = {}): PartialDecision {
  return { action: 'none', reason: because(code, text, more) }
}

export function lookAgain(at: Instant | undefined): { lookAgainAt?: Instant } {
  return at === undefined ? {} : { lookAgainAt: at }
}

/** The earliest of the instants that exist. */
export function earliest(...instants: (Instant | undefined)[]): Instant | undefined {
  const known = instants.filter((instant) => instant !== undefined)
  return known.length === 0 ? undefined : Math.min(...known)
}
