import type { Instant } from '../../clock.ts'
import { isEmpty, type Change } from '../patch.ts'
import { readWorkload } from '../reading.ts'
import type { Rules } from '../rules.ts'
import { Unreadable } from '../state-codec.ts'
import { ANNOTATION_NAMES, ASLEEP_LABEL, type AnnotationName, type Workload } from '../workload.ts'
import { allow, holdOn, refuse, type Judgement } from './judgement.ts'
import { MARKS_KEPT } from './marks.ts'
import { about } from './messages.ts'

/** A write of the status may change annotations, labels and owners too: of these it changes nothing of ours. */
export function judgeStatus(before: Workload, after: Workload, now: Instant, rules: Rules): Judgement {
  const reading = readWorkload(before, rules)
  const hold = reading instanceof Unreadable ? undefined : holdOn(reading, now)
  if (hold && gainsOwner(before, after)) return refuse(before, hold, ': it gets no owner')
  const change = backTo(before, after)
  if (isEmpty(change)) return allow('free')
  return { type: 'allow', reason: 'restored', change, warnings: [about(before, MARKS_KEPT)] }
}

/** Whoever owns a ReplicaSet scales it: with an owner it would slip its hold. */
export function gainsOwner(before: Workload, after: Workload): boolean {
  return before.kind === 'replicasets' && !before.owner && after.owner !== undefined
}

function backTo(before: Workload, after: Workload): Change {
  const annotations: Partial<Record<AnnotationName, string | null>> = {}
  for (const name of ANNOTATION_NAMES) {
    const value = before.annotations[name]
    if (value !== after.annotations[name]) annotations[name] = value ?? null
  }
  const label = before.labels?.[ASLEEP_LABEL]
  return { annotations, ...(label === after.labels?.[ASLEEP_LABEL] ? {} : { label: label ?? null }) }
}
