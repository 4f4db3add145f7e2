import type { Change } from '../domain/patch.ts'
import { ANNOTATION_NAMES, ASLEEP_LABEL, type Kind, type Workload } from '../domain/workload.ts'
import type { PatchAnswer } from './api-object.ts'
import { trim, trimMetadata } from './trim.ts'

/**
 * The workload after a patch: what the answer tells, which may be its metadata alone, and the rest from
 * what was sent and what it was sent for.
 */
export function afterWrite(sentFor: Workload, change: Change, kind: Kind, answer: PatchAnswer): Workload {
  if (answer.kind !== 'PartialObjectMetadata' && answer.spec !== undefined) return trim(kind, answer)
  return {
    ...sentFor,
    ...trimMetadata(kind, answer.metadata),
    replicas: change.replicas ?? sentFor.replicas,
    snoozeKey: change.snoozeKey === undefined ? sentFor.snoozeKey : (change.snoozeKey ?? undefined),
    hasNodeSelector: sentFor.hasNodeSelector || typeof change.snoozeKey === 'string',
  }
}

/** Whether our marks are as the change makes them; a webhook of somebody else's may have had its own idea. */
export function hasMarks(live: Workload, sentFor: Workload, change: Change): boolean {
  return (
    ANNOTATION_NAMES.every((name) => {
      const wanted =
        change.annotations[name] === undefined ? sentFor.annotations[name] : change.annotations[name]
      return live.annotations[name] === (wanted ?? undefined)
    }) &&
    (change.label === undefined || live.labels?.[ASLEEP_LABEL] === (change.label ?? undefined))
  )
}

/**
 * Whether the live object is as the change would have made it: a write whose answer was lost was then
 * carried out. The state's counter and times make it hard to be so by chance.
 */
export function carries(live: Workload, sentFor: Workload, change: Change): boolean {
  return (
    live.uid === sentFor.uid &&
    live.resourceVersion !== sentFor.resourceVersion &&
    hasMarks(live, sentFor, change) &&
    (change.givesUpReplicas !== true || live.ownReplicasEntry === undefined) &&
    (change.replicas === undefined || live.replicas === change.replicas) &&
    (change.snoozeKey === undefined || live.snoozeKey === (change.snoozeKey ?? undefined))
  )
}
