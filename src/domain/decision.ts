import type { Instant } from '../clock.ts'
import type { Trigger, Intent } from './state.ts'

export type ReasonCode =
  | 'deleting'
  | 'not_managed'
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
  | 'schedule'
  | 'intent'
  | 'until'
  | 'until_passed'
  | 'grace'
  | 'nothing_automatic'

/** Why a workload is, or is to be, as the decision says. */
export interface Reason {
  readonly code: ReasonCode
  readonly text: string
}

/** What is to become of a workload now, and why (design, section 4). */
export interface Decision {
  /** `adopt`: somebody else woke it; the marks follow the pods. */
  readonly action: 'snooze' | 'wake' | 'adopt' | 'none'
  readonly reason: Reason
  readonly trigger: Trigger
  readonly by: string | null
  /** The count to wake to, or to keep while asleep. */
  readonly replicas: number
  /** A hand woke it to fewer than were kept: these stay kept. */
  readonly kept?: number
  /** The intent to write with it. */
  readonly intent?: Intent
  /** The marks follow what somebody else did to the pods: no pin, override or backoff is in its way. */
  readonly adopts?: true
  readonly overrideExpired?: true
  /** Turned off by hand: every hold goes with it. */
  readonly cleared?: true
  /** When the clock made it due; undefined: not the clock. */
  readonly dueAt?: Instant
  /** When to look again if nothing changes before. */
  readonly lookAgainAt?: Instant
}

/** A decision as far as one rule goes; what it leaves out is as on a hold. */
export type PartialDecision = Pick<Decision, 'action' | 'reason'> & Partial<Decision>

export function noAction(code: ReasonCode, text: string): PartialDecision {
  return { action: 'none', reason: { code, text } }
}

export function look(at: Instant | undefined): { lookAgainAt?: Instant } {
  return at === undefined ? {} : { lookAgainAt: at }
}

/** The earliest of the instants that exist. */
export function earliest(...instants: (Instant | undefined)[]): Instant | undefined {
  const known = instants.filter((instant) => instant !== undefined)
  return known.length === 0 ? undefined : Math.min(...known)
}

/** The latest of the instants that exist. */
export function latest(...instants: (Instant | undefined)[]): Instant | undefined {
  const known = instants.filter((instant) => instant !== undefined)
  return known.length === 0 ? undefined : Math.max(...known)
}
