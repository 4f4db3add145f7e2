import type { Instant } from '../../clock.ts'
import { annotationChange, labelChange } from '../change.ts'
import { isEmpty, type Change } from '../patch.ts'
import { readWorkload } from '../reading.ts'
import type { Rules } from '../rules.ts'
import { Unreadable } from '../state-codec.ts'
import { ASLEEP_LABEL, type Workload } from '../workload.ts'
import { allow, holdOn, refuse, type Judgement } from './judgement.ts'
import { MARKS_KEPT } from './marks.ts'
import { about } from './messages.ts'

/** A write of the status may change annotations, labels and owners too: of these it changes nothing of ours. */
export function judgeStatus(before: Workload, after: Workload, now: Instant, rules: Rules): Judgement {
  const reading = readWorkload(before, rules)
  const hold = reading instanceof Unreadable ? undefined : holdOn(reading, now)
  if (hold && gainsOwner(before, after)) return refuse(before, hold, ': it gets no owner')
  const change: Change = {
    annotations: annotationChange(after, before),
    ...labelChange(after, before.labels?.[ASLEEP_LABEL] ?? null),
  }
  if (isEmpty(change)) return allow('free')
  return { type: 'allow', reason: 'restored', change, warnings: [about(before, MARKS_KEPT)] }
}

/** Whoever owns a ReplicaSet scales it: with an owner it would slip its hold. */
export function gainsOwner(before: Workload, after: Workload): boolean {
  return before.kind === 'replicasets' && !before.owner && after.owner !== undefined
}
