import type { Instant } from '../../process/clock.ts'
import { annotationChange, labelChange, isEmpty, type Change } from '../workload/change.ts'
import { withoutRequest } from '../workload/marks.ts'
import { readWorkload } from '../workload/reading.ts'
import type { Rules } from '../deciding/rules.ts'
import { Situation } from '../deciding/situation.ts'
import { Unreadable } from '../workload/state-codec.ts'
import { ASLEEP_LABEL, HELD_LABEL, type Workload } from '../workload/workload.ts'
import { allow, patched, type AdmissionDecision } from './decision.ts'
import { about, MARKS_KEPT } from './messages.ts'
import { activePinOrOverride, gainsOwner, refuse, unreadable } from './pin-or-override.ts'

const NOT_BY_STATUS =
  ': dormouse.dev/request does nothing in a write of the status and was removed: write it on the workload itself'

/** Decides on a write of the status, which may also change annotations, labels and owners: ours are restored. */
export function admitStatus(
  before: Workload,
  after: Workload,
  now: Instant,
  rules: Rules,
): AdmissionDecision {
  const reading = readWorkload(before, rules)
  if (gainsOwner(before, after)) {
    if (reading instanceof Unreadable) return unreadable(before, reading)
    const pinOrOverride = activePinOrOverride(new Situation(reading, now, rules))
    if (pinOrOverride) return refuse(before, pinOrOverride, ', so it cannot get an owner')
  }
  const change: Change = {
    annotations: annotationChange(after, withoutRequest(before)),
    ...labelChange(after, before.labels?.[ASLEEP_LABEL] ?? null, before.labels?.[HELD_LABEL] ?? null),
  }
  if (isEmpty(change)) return allow('free')
  const { request, ...others } = change.annotations
  const onlyRequest = request === null && isEmpty({ ...change, annotations: others })
  const warnings = [
    ...(request === null ? [about(before, NOT_BY_STATUS)] : []),
    ...(onlyRequest ? [] : [about(before, MARKS_KEPT)]),
  ]
  return patched(onlyRequest ? 'request_ignored' : 'restored', after, change, warnings)
}
