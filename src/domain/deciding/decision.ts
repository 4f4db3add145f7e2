import type { Instant } from '../../service/process/clock.ts'
import type { Backoff, Intent, Trigger } from '../workload/state.ts'

export type ReasonCode =
  | 'deleting'
  | 'not_managed'
  | 'namespace_unknown'
  | 'scaled_by_other'
  | 'kept_by_other'
  | 'unreadable'
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

/** Why the decision is as it is: the text is for people. */
export interface Reason {
  readonly code: ReasonCode
  readonly text: string
  /** The text tells what is wrong with the schedule. */
  readonly saysFault?: true
  /** What is true until the transition is done, which the text tells as if it were: nothing says that it sleeps. */
  readonly pending?: () => string
}

/** A reason whose text is made when it is first read: of most decisions nobody reads it. */
export function because(
  code: ReasonCode,
  text: () => string,
  more: Omit<Reason, 'code' | 'text'> = {},
): Reason {
  let made: string | undefined
  return {
    ...more,
    code,
    get text() {
      return (made ??= text())
    },
  }
}

/** The same reason in other words, which are made when they are first read. */
export function reworded(reason: Reason, words: (text: string) => string, code = reason.code): Reason {
  const { saysFault } = reason
  return because(code, () => words(reason.text), saysFault ? { saysFault } : {})
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

export function noAction(code: ReasonCode, text: () => string): PartialDecision {
  return { action: 'none', reason: because(code, text) }
}

export function lookAgain(at: Instant | undefined): { lookAgainAt?: Instant } {
  return at === undefined ? {} : { lookAgainAt: at }
}

/** What is the same by every clock. */
const TIMELESS: ReadonlySet<ReasonCode> = new Set(['not_managed', 'unreadable', 'deleting'])

/** Whether no time changes it, not even that of a clock that is set back: other decisions may come to hold again by that. */
export function isTimeless({ lookAgainAt, reason }: Pick<Decision, 'lookAgainAt' | 'reason'>): boolean {
  return lookAgainAt === undefined && TIMELESS.has(reason.code)
}

/** The earliest of the instants that exist. */
export function earliest(...instants: (Instant | undefined)[]): Instant | undefined {
  const known = instants.filter((instant) => instant !== undefined)
  return known.length === 0 ? undefined : Math.min(...known)
}
