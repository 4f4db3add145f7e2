import { ANNOTATION_NAMES, ASLEEP_LABEL, podsFollowed, type Workload } from '../domain/workload.ts'

/**
 * Whether a decision on `after` can differ from one on `before` at the same instant. Most changes are a
 * status's: of that only whether all pods followed is ever asked, so that a storm of them costs no decisions.
 */
export function isRelevant(before: Workload, after: Workload): boolean {
  return (
    ANNOTATION_NAMES.some((name) => before.annotations[name] !== after.annotations[name]) ||
    before.labels?.[ASLEEP_LABEL] !== after.labels?.[ASLEEP_LABEL] ||
    before.snoozeKey !== after.snoozeKey ||
    before.replicas !== after.replicas ||
    before.deleting !== after.deleting ||
    before.deletesVolumes !== after.deletesVolumes ||
    before.formerRevision !== after.formerRevision ||
    before.owner?.name !== after.owner?.name ||
    before.replicasManager?.manager !== after.replicasManager?.manager ||
    before.replicasManager?.subresource !== after.replicasManager?.subresource ||
    before.ownReplicasEntry !== after.ownReplicasEntry ||
    podsFollowed(before) !== podsFollowed(after)
  )
}
