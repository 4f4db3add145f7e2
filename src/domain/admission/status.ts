import type { Instant } from '../../clock.ts'
import { annotationChange, labelChange } from '../change.ts'
import { isEmpty, type Change } from '../patch.ts'
import { readWorkload } from '../reading.ts'
import type { Rules } from '../rules.ts'
import { Unreadable } from '../state-codec.ts'
import { ASLEEP_LABEL, type Workload } from '../workload.ts'
import { allow, patched, type AdmissionDecision } from './decision.ts'
import { marksKept } from './messages.ts'
import { activePinOrOverride, refuse } from './pin-or-override.ts'

/** Decides on a write of the status, which may also change annotations, labels and owners: ours are restored. */
export function admitStatus(
  before: Workload,
  after: Workload,
  now: Instant,
  rules: Rules,
): AdmissionDecision {
  const reading = readWorkload(before, rules)
  const pinOrOverride = reading instanceof Unreadable ? undefined : activePinOrOverride(reading, now)
  if (pinOrOverride && gainsOwner(before, after))
    return refuse(before, pinOrOverride, ', so it cannot get an owner')
  const change: Change = {
    annotations: annotationChange(after, before),
    ...labelChange(after, before.labels?.[ASLEEP_LABEL] ?? null),
  }
  if (isEmpty(change)) return allow('free')
  return patched('restored', after, change, [marksKept(before)])
}

/** An owner scales its ReplicaSet, in spite of a pin or override. */
export function gainsOwner(before: Workload, after: Workload): boolean {
  return before.kind === 'replicasets' && !before.owner && after.owner !== undefined
}
