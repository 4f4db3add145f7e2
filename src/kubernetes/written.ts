import { changed, hasChanged } from '../domain/change.ts'
import type { Change } from '../domain/patch.ts'
import type { Kind, Workload } from '../domain/workload.ts'
import type { PatchAnswer } from './api-object.ts'
import { trim, trimMetadata } from './trim.ts'

/**
 * The workload after a patch: what the answer tells, which may be its metadata alone, and the rest from
 * what was sent and what it was sent for.
 */
export function afterWrite(sentFor: Workload, change: Change, kind: Kind, answer: PatchAnswer): Workload {
  if (answer.kind !== 'PartialObjectMetadata' && answer.spec !== undefined) return trim(kind, answer)
  return { ...changed(sentFor, change), ...trimMetadata(kind, answer.metadata) }
}

/**
 * Whether the live object is as the change would have made it: a write whose answer was lost was then
 * carried out. The state's counter and times make it hard to be so by chance.
 */
export function carries(live: Workload, sentFor: Workload, change: Change): boolean {
  return (
    live.uid === sentFor.uid &&
    live.resourceVersion !== sentFor.resourceVersion &&
    hasChanged(live, sentFor, change)
  )
}
