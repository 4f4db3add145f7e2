import type { Change } from '../patch.ts'
import { overrideInEffect } from '../decision.ts'
import type { Instant } from '../../clock.ts'
import type { Reading } from '../reading.ts'
import { iso } from '../text.ts'
import { pathOf, type Workload } from '../workload.ts'

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
  /** The field manager, as the `by` of a manual wake. */
  readonly manager: string | null
}

/** What the webhook answers; a change is relative to the object under review. */
export type Judgement =
  | { readonly type: 'deny'; readonly reason: JudgementReason; readonly message: string }
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

/** What the hold is, and how to end it; `what` stands before it. */
export function refuse({ reason, says, clear }: Hold, what = ''): Judgement {
  return deny(reason, `${what}${says}. ${clear}`)
}

/** What keeps people from scaling a workload by hand, and how to end it. */
export interface Hold {
  readonly reason: 'pinned' | 'overridden'
  /** Who, when, until when. */
  readonly says: string
  /** The request that clears it. A sentence of its own: warnings are cut when they are long. */
  readonly clear: string
}

/** The pin or override in effect on a managed workload; the pin first, which is the stronger. */
export function holdOn(reading: Reading, now: Instant): Hold | undefined {
  const { workload, state, enabled } = reading
  if (enabled !== true) return undefined
  if (state.pin) {
    const { state: held, by, at } = state.pin
    const says = `${nameOf(workload)} is pinned ${held} by ${by} since ${iso(at)}`
    return { reason: 'pinned', says, clear: `To let go: DELETE ${pathOf(workload)}/pin` }
  }
  const override = overrideInEffect(reading, now)
  if (!override) return undefined
  const until = override.until === null ? 'for good' : `until ${iso(override.until)}`
  const says = `${nameOf(workload)} is overridden by ${override.by} since ${iso(override.at)}, ${until}`
  return { reason: 'overridden', says, clear: `To clear it: DELETE ${pathOf(workload)}/override` }
}

function nameOf({ namespace, name }: Workload): string {
  return `${namespace}/${name}`
}
