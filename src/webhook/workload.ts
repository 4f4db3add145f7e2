import { judgeCreate } from '../domain/admission/create.ts'
import { allow, type Update } from '../domain/admission/judgement.ts'
import { judgeStatus } from '../domain/admission/status.ts'
import { judgeUpdate } from '../domain/admission/update.ts'
import { reviewAuthor } from '../domain/author.ts'
import { isKind, type Workload } from '../domain/workload.ts'
import { answered, type Answered } from './answered.ts'
import type { WebhookDeps } from './deps.ts'
import { changesMore, isApply, isJson, unknownMarks } from './difference.ts'
import type { ReviewRequest } from './review.ts'

/** A review of CREATE or UPDATE of a workload or its status; both objects are in the review, so nothing is read. */
export function reviewWorkload(
  request: ReviewRequest,
  { rules, clock, trim }: Pick<WebhookDeps, 'rules' | 'clock' | 'trim'>,
): Answered {
  const { uid, operation, subResource, resource, options, userInfo } = request
  const kind = resource.resource
  const served = resource.group === 'apps' && resource.version === 'v1' && isKind(kind)
  if (!served || !isJson(request.object)) return answered(uid, allow('unknown'))
  const after = trim(kind, request.object)
  const old = operation === 'UPDATE' && isJson(request.oldObject) ? request.oldObject : undefined
  const before = old && trim(kind, old)
  // As the registration's matchConditions have it. The Deployment controller copies our marks to its ReplicaSets.
  if ((kind === 'replicasets' && (before ?? after).owner) || after.deleting)
    return answered(uid, allow('not_managed'))
  const unknown = unknownMarks(old, request.object)
  if (operation === 'CREATE' && subResource === '')
    return answered(uid, judgeCreate(after, clock(), rules, unknown), after)
  if (!before || !old) return answered(uid, allow('unknown'))
  if (!isMarked(before) && !isMarked(after) && unknown.length === 0)
    return answered(uid, allow('not_managed'))
  if (subResource === 'status') return answered(uid, judgeStatus(before, after, clock(), rules), after)
  if (subResource !== '') return answered(uid, allow('unknown'))
  const { fieldManager } = options
  const update: Update = {
    before,
    after,
    otherChanges: changesMore(old, request.object),
    isApply: isApply(old, request.object, fieldManager),
    manager: fieldManager,
    by: reviewAuthor(userInfo.username, fieldManager),
    unknown,
  }
  return answered(uid, judgeUpdate(update, clock(), rules), after)
}

function isMarked({ annotations }: Workload): boolean {
  return Object.keys(annotations).length > 0
}
