import {
  ANNOTATION_NAMES,
  ASLEEP_LABEL,
  hasSleepMark,
  type AnnotationName,
  type Workload,
} from '../workload.ts'
import { about } from './messages.ts'

/** `workload`: as sent, with our marks put right; `warning`: what was put right. */
interface Restored {
  readonly workload: Workload
  readonly warning: string | undefined
}

/**
 * A changed state is an old copy (`kubectl rollout undo`, a restore): all four annotations are put
 * back. A dropped one (`kubectl replace`): what is absent is put back. With the state unchanged, the
 * other three are people's. The label is ours in any case.
 */
export function restoredMarks(before: Workload, after: Workload): Restored {
  const sent = after.annotations
  const known = before.annotations
  const annotations: Partial<Record<AnnotationName, string>> = { ...sent }
  const dropped = sent.state === undefined
  if (sent.state !== known.state && !(dropped && isLetGo(before))) {
    for (const name of ANNOTATION_NAMES) {
      if (dropped && sent[name] !== undefined) continue
      if (known[name] === undefined) delete annotations[name]
      else annotations[name] = known[name]
    }
  }
  const label = before.labels?.[ASLEEP_LABEL]
  const relabelled = label !== after.labels?.[ASLEEP_LABEL]
  const changed = ANNOTATION_NAMES.some((name) => annotations[name] !== sent[name])
  const { [ASLEEP_LABEL]: _, ...others } = after.labels ?? {}
  const labels = relabelled
    ? label === undefined
      ? others
      : { ...others, [ASLEEP_LABEL]: label }
    : after.labels
  return {
    workload: { ...after, annotations, labels },
    warning: changed || relabelled ? about(before, MARKS_KEPT) : undefined,
  }
}

/** What a person is told whose write changed our marks. */
export const MARKS_KEPT =
  'keeps its dormouse.dev annotations and label: what this write changed of them was put back'

/** Awake and not managed: people may clear away what is left on it. */
function isLetGo(known: Workload): boolean {
  return known.annotations.enabled !== 'true' && !hasSleepMark(known)
}
