import type { Instant } from '../../process/clock.ts'
import { formOf } from '../sleeping/forms.ts'
import { withoutMissedRuns } from './missed-runs.ts'
import type { Change } from '../workload/change.ts'
import { countsOf } from '../workload/counts.ts'
import { isAtRest, readWithoutState, readWorkload } from '../workload/reading.ts'
import type { Rules } from './rules.ts'
import { Unreadable } from '../workload/state-codec.ts'
import { ANNOTATION_NAMES, ASLEEP_LABEL, HELD_LABEL, type Workload } from '../workload/workload.ts'

/**
 * The change that wakes a workload, with any count still kept, and removes everything that Dormouse put on it;
 * undefined: no change is needed.
 */
export function releaseChange(workload: Workload, now: Instant, rules: Rules): Change | undefined {
  const { annotations, labels, snoozeKey, ownReplicasEntry } = workload
  const marks = ANNOTATION_NAMES.filter((name) => annotations[name] !== undefined)
  const labelled = labels?.[ASLEEP_LABEL] !== undefined
  const isHeld = labels?.[HELD_LABEL] !== undefined
  if (marks.length === 0 && !labelled && !isHeld && snoozeKey === undefined) {
    // An earlier release woke it: give up the count that it set, so that a server-side applier may set it.
    return ownReplicasEntry === undefined ? undefined : { annotations: {}, givesUpReplicas: true }
  }
  const read = readWorkload(workload, rules)
  const reading = read instanceof Unreadable ? readWithoutState(workload, rules) : read
  const sleeps = isAtRest(reading)
  const { kept, toGiveBack } = countsOf(reading)
  const count = sleeps && formOf(workload).countInSpec ? kept : toGiveBack
  const woken = count === undefined ? {} : { replicas: count }
  const { lastScheduleTime } = withoutMissedRuns(workload, { ...workload, ...woken }, {}, now)
  return {
    annotations: Object.fromEntries(marks.map((name) => [name, null])),
    ...(labelled ? { label: null } : {}),
    ...(isHeld ? { held: null } : {}),
    ...woken,
    ...(lastScheduleTime === undefined || lastScheduleTime === workload.lastScheduleTime
      ? {}
      : { lastScheduleTime }),
    ...(snoozeKey === undefined ? {} : { snoozeKey: null }),
  }
}
