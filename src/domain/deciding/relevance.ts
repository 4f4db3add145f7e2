import { hasRoomToWake } from '../workload/change.ts'
import { readsTheSame } from '../workload/marks.ts'
import { podsFollowed, type Workload } from '../workload/workload.ts'

/**
 * Whether a decision on `after` can differ from one on `before` at the same instant. Most changes are of the status,
 * of which decisions ask only whether all pods followed: so a storm of status updates costs no plans.
 */
export function isRelevant(before: Workload, after: Workload): boolean {
  return (
    !readsTheSame(before, after) ||
    before.replicasManager?.manager !== after.replicasManager?.manager ||
    before.replicasManager?.subresource !== after.replicasManager?.subresource ||
    before.ownReplicasEntry !== after.ownReplicasEntry ||
    (before.otherAnnotationBytes !== after.otherAnnotationBytes &&
      hasRoomToWake(before) !== hasRoomToWake(after)) ||
    podsFollowed(before) !== podsFollowed(after)
  )
}
