import { changed, hasChanged } from '../domain/workload/change.ts'
import type { Change } from '../domain/workload/patch.ts'
import type { Kind, Workload } from '../domain/workload/workload.ts'
import type { PatchAnswer } from './api-object.ts'
import { trim, trimMetadata, type ConfiguredFields } from './trim.ts'

/** The workload after a patch. The answer may be its metadata alone; then the rest follows from the change. */
export function afterWrite(
  sentFor: Workload,
  change: Change,
  kind: Kind,
  answer: PatchAnswer,
  fields?: ConfiguredFields,
): Workload {
  if (answer.kind !== 'PartialObjectMetadata' && answer.spec !== undefined)
    return trim(kind, answer, undefined, fields)
  return { ...changed(sentFor, change), ...trimMetadata(kind, answer.metadata, undefined, fields?.get(kind)) }
}

/**
 * Whether the live object is as the change would have made it: then the patch whose answer was lost was applied. The
 * state's counter and times make a coincidence impossible.
 */
export function carries(live: Workload, sentFor: Workload, change: Change): boolean {
  return (
    live.uid === sentFor.uid &&
    live.resourceVersion !== sentFor.resourceVersion &&
    hasChanged(live, sentFor, change)
  )
}
