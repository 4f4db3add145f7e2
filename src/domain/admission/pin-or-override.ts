import type { Situation } from '../deciding/situation.ts'
import { sameMarks } from '../workload/marks.ts'
import { clip, iso, isoOrNull } from '../text.ts'
import type { Unreadable } from '../workload/state-codec.ts'
import {
  CLEAR_OVERRIDE,
  pinText,
  pinValues,
  purposeOf,
  UNPIN,
  type Explanation,
  type Remedy,
} from '../workload/explanation.ts'
import { HELD_LABEL, type Workload, type WorkloadKey } from '../workload/workload.ts'
import { allow, deny, type AdmissionDecision, type Denial } from './decision.ts'
import { denyBecause, unreadableState, type Advice } from './messages.ts'

/**
 * A pin or an override in effect: people may not scale its workload by hand. The reason reads on after the workload's
 * name: `is pinned awake by k8s:alice since 2026-03-02T07:00:00Z`.
 */
export interface PinOrOverride extends Explanation {
  readonly reason_code: 'pinned' | 'overridden'
  readonly remedy: Remedy
}

/** The pin or override in effect on a workload, also on one that lost what it inherited; the pin if there are both. */
export function activePinOrOverride({ isHeld, state, override }: Situation): PinOrOverride | undefined {
  if (!isHeld) return undefined
  if (state.pin) {
    const reason = `is ${pinText({ ...state.pin, by: clip(state.pin.by) })}`
    return { reason, reason_code: 'pinned', reason_values: pinValues(state.pin), remedy: UNPIN }
  }
  if (!override) return undefined
  const { by } = override
  const since = iso(override.at)
  const until = isoOrNull(override.until)
  const reason = `is overridden by ${clip(by)} since ${since}, ${until === null ? 'for good' : `until ${until}`}`
  return { reason, reason_code: 'overridden', reason_values: { by, since, until }, remedy: CLEAR_OVERRIDE }
}

/** The denial of a write if the state cannot be read: the label alone says that a hold is there; undefined: it is not. */
export function refuseUnread(workload: Workload, why: Unreadable): Denial | undefined {
  if (workload.labels?.[HELD_LABEL] === undefined) return undefined
  const says = 'is held by a pin or an override, so this cannot change'
  const [message, ...warnings] = unreadableState(workload, says, why)
  return deny('unreadable', message, warnings)
}

/** The decision on what only a hold can forbid, if the state cannot be read. */
export function unreadable(workload: Workload, why: Unreadable): AdmissionDecision {
  return refuseUnread(workload, why) ?? allow('unreadable', unreadableState(workload, 'was not checked', why))
}

/** Whether an update changes anything that a pin or an override keeps, as far as that shows without the state. */
export function mayBreakHold(before: Workload, after: Workload): boolean {
  return !sameMarks(before, after) || before.replicas !== after.replicas || gainsOwner(before, after)
}

/** An owner scales its ReplicaSet, in spite of a pin or override. */
export function gainsOwner(before: Workload, after: Workload): boolean {
  return before.kind === 'replicasets' && !before.owner && after.owner !== undefined
}

/** A denial that names the author of the pin or override, and how to end it; `so`: what cannot change. */
export function refuse(workload: WorkloadKey, cause: PinOrOverride, so = ''): Denial {
  const reason = `${cause.reason}${so}`
  return denyBecause(workload, cause.reason_code, reason, { ...cause, reason })
}

/** The request that ends the pin or override. */
export function howToEnd(cause: PinOrOverride): Advice {
  return { does: purposeOf(cause), asks: cause.remedy }
}
