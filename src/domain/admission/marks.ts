import { marksRestored } from '../marks.ts'
import type { Workload } from '../workload.ts'
import { about } from './messages.ts'

/** `workload`: as sent, with our marks put right; `warning`: what was put right. */
interface Restored {
  readonly workload: Workload
  readonly warning: string | undefined
}

/** What a person sent, with our marks as they were: whoever else changes a state sends an old copy of it. */
export function restoredMarks(before: Workload, after: Workload): Restored {
  const workload = marksRestored(after, before, true)
  return { workload, warning: workload === after ? undefined : about(before, MARKS_KEPT) }
}

/** What a person is told whose write changed our marks. */
export const MARKS_KEPT =
  'keeps its dormouse.dev annotations and label: what this write changed of them was put back'
