import type { Change } from '../patch.ts'
import { overrideInEffect } from '../decide.ts'
import type { Instant } from '../../clock.ts'
import type { Reading } from '../reading.ts'
import type { Unreadable } from '../state-codec.ts'
import { clip, iso } from '../text.ts'
import { pathOf, type Workload, type WorkloadKey } from '../workload.ts'
import { about, fits, toSend } from './messages.ts'

/** Why a review was answered as it was: bounded, for metrics and logs. */
export type JudgementReason =
  | 'exempt'
  | 'not_managed'
  | 'no_count_change'
  | 'free'
  | 'manual_wake'
  | 'pinned'
  | 'overridden'
  | 'held'
  | 'absorbed'
  | 'restored'
  | 'invalid_annotation'
  | 'unreadable'
  | 'stripped'
  | 'other_dormouse'
  | 'unknown'

/** An update under review. */
export interface Update {
  readonly before: Workload
  /** As the person sent it. */
  readonly after: Workload
  /** Whether anything but the count (DaemonSet: our key) and our marks differs. */
  readonly otherChanges: boolean
  /** A server-side apply or kubectl's own: what it lacks, nobody meant to take away. */
  readonly isApply: boolean
  /** What the client calls itself. */
  readonly manager: string | undefined
  /** Whose a manual wake is. */
  readonly by: string | null
  /** Annotations below `dormouse.dev/` that are none of ours, and that this write added or changed. */
  readonly unknown: readonly string[]
}

/** Where a judgement stands: what the object is to become, and what the person is to be told. */
export interface Draft {
  readonly target: Reading
  readonly reason: JudgementReason
  readonly warnings: readonly string[]
}

/** What the webhook answers; a change is relative to the object under review. */
export type Judgement =
  | {
      readonly type: 'deny'
      readonly reason: JudgementReason
      readonly message: string
      readonly warnings?: readonly string[]
    }
  | {
      readonly type: 'allow'
      readonly reason: JudgementReason
      readonly change?: Change
      readonly warnings: readonly string[]
    }

export function allow(reason: JudgementReason, ...warnings: string[]): Judgement {
  return { type: 'allow', reason, warnings }
}

export function deny(reason: JudgementReason, message: string): Judgement {
  return { type: 'deny', reason, message }
}

/** The warning over a state that cannot be read. */
export function unchecked(workload: WorkloadKey, { message }: Unreadable): string {
  return about(workload, `was not checked: ${message}`)
}

/** What the hold is, and how to end it; `and` says what cannot be done because of it. */
export function refuse(workload: WorkloadKey, hold: Hold, and = ''): Judgement {
  const says = `${hold.says}${and}`
  const { does, method, action } = hold.clear
  const whole = `${says}. T${does.slice(1)} ${method} ${pathOf(workload)}/${action}`
  if (fits(workload, whole)) return deny(hold.reason, about(workload, whole))
  return { ...deny(hold.reason, about(workload, says)), warnings: [clearing(workload, hold)] }
}

/** The request that ends a hold, as a warning of its own. */
export function clearing(workload: WorkloadKey, { clear }: Hold): string {
  return toSend(workload, clear.does, clear.method, clear.action)
}

/** What keeps people from scaling a workload by hand, and how to end it. */
export interface Hold {
  readonly reason: 'pinned' | 'overridden'
  /** What is so, by whom, since when, until when. */
  readonly says: string
  /** The request that clears it. */
  readonly clear: { readonly does: string; readonly method: 'DELETE'; readonly action: 'pin' | 'override' }
}

/** The pin or override in effect on a managed workload; the pin first, which is the stronger. */
export function holdOn(reading: Reading, now: Instant): Hold | undefined {
  const { state, enabled } = reading
  if (enabled !== true) return undefined
  if (state.pin) {
    const { state: held, by, at } = state.pin
    const says = `is pinned ${held} by ${clip(by)} since ${iso(at)}`
    return { reason: 'pinned', says, clear: { does: 'to let go,', method: 'DELETE', action: 'pin' } }
  }
  const override = overrideInEffect(reading, now)
  if (!override) return undefined
  const until = override.until === null ? 'for good' : `until ${iso(override.until)}`
  const says = `is overridden by ${clip(override.by)} since ${iso(override.at)}, ${until}`
  return {
    reason: 'overridden',
    says,
    clear: { does: 'to clear it,', method: 'DELETE', action: 'override' },
  }
}
