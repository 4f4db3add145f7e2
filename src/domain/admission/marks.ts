import { marksRestored } from '../marks.ts'
import type { Workload } from '../workload.ts'
import { about } from './messages.ts'

/** `after` with our marks as they were, and a warning if that changed any: a state that differs is an old copy. */
export function restoredMarks(
  before: Workload,
  after: Workload,
): { readonly workload: Workload; readonly warning?: string } {
  const workload = marksRestored(after, before, true)
  return workload === after ? { workload } : { workload, warning: about(before, MARKS_RESTORED) }
}

export const MARKS_RESTORED =
  'keeps its dormouse.dev annotations and label: this write changed some, which were restored'
