import type { Clock } from '../clock.ts'
import { admitCreate } from '../domain/admission/create.ts'
import { allow, type AdmissionDecision } from '../domain/admission/decision.ts'
import { admitStatus } from '../domain/admission/status.ts'
import { admitUpdate } from '../domain/admission/update.ts'
import { reviewAuthor } from '../domain/author.ts'
import type { Rules } from '../domain/rules.ts'
import { factsOf, isBuiltIn, kindOf } from '../domain/kinds.ts'
import type { Kind, Workload } from '../domain/workload.ts'
import { changesMore, isApply, unknownAnnotations } from './object-diff.ts'
import type { ReviewRequest } from './review.ts'
import { isWorkload } from './workload-shape.ts'

export interface WorkloadDeps {
  readonly rules: Rules
  readonly clock: Clock
  /** Reads from a whole object what the rules need. */
  readonly trim: (kind: Kind, object: unknown) => Workload
  /** The kinds beside the built-in ones. */
  readonly configured?: ReadonlySet<Kind>
}

/** Decides on CREATE or UPDATE of a workload or its status. The review carries both objects, so this needs no I/O. */
export function reviewWorkload(
  request: ReviewRequest,
  { rules, clock, trim, configured }: WorkloadDeps,
): AdmissionDecision {
  const { operation, subResource, resource, options, userInfo } = request
  const kind = kindOf(resource.group, resource.resource)
  if (!kind || !isServed(kind, resource.version, configured) || !isWorkload(kind, request.object))
    return allow('unknown')
  const after = trim(kind, request.object)
  const old = operation === 'UPDATE' && isWorkload(kind, request.oldObject) ? request.oldObject : undefined
  const before = old && trim(kind, old)
  // As the registration's matchConditions do: the Deployment controller copies our annotations to its ReplicaSets.
  if ((kind === 'replicasets' && (before ?? after).owner) || after.deleting) return allow('not_managed')
  const unknown = unknownAnnotations(old, request.object)
  if (operation === 'CREATE' && subResource === '') return admitCreate(after, clock(), rules, unknown)
  if (!before || !old) return allow('unknown')
  if (!isAnnotated(before) && !isAnnotated(after) && unknown.length === 0) return allow('not_managed')
  if (subResource === 'status') return admitStatus(before, after, clock(), rules)
  if (subResource !== '') return allow('unknown')
  const { fieldManager } = options
  const update = {
    before,
    after,
    otherChanges: changesMore(after, old, request.object),
    isApply: isApply(after, old, request.object, fieldManager),
    manager: fieldManager,
    by: reviewAuthor(userInfo.username, fieldManager),
    unknown,
  }
  return admitUpdate(update, clock(), rules)
}

function isServed(kind: Kind, version: string, configured: ReadonlySet<Kind> | undefined): boolean {
  return isBuiltIn(kind) ? factsOf(kind).version === version : configured?.has(kind) === true
}

function isAnnotated({ annotations }: Workload): boolean {
  return Object.keys(annotations).length > 0
}
