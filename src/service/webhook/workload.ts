import { isRecord } from '../../domain/json-schema.ts'
import { admitCreate } from '../../domain/admission/create.ts'
import { allow, type AdmissionDecision } from '../../domain/admission/decision.ts'
import { admitStatus } from '../../domain/admission/status.ts'
import {
  decideWhileDeleted,
  requestIn,
  type RequestAnnotation,
} from '../../domain/admission/request-annotation.ts'
import { admitUpdate } from '../../domain/admission/update.ts'
import type { Update } from '../../domain/admission/under-review.ts'
import { reviewAuthor } from '../../domain/workload/author.ts'
import { factsOf, isBuiltIn, kindOf } from '../../domain/kinds.ts'
import { hasMarks } from '../../domain/workload/marks.ts'
import type { Kind, Workload } from '../../domain/workload/workload.ts'
import {
  changesMore,
  changesTemplate,
  misplacedLabels,
  otherToolsKey,
  unknownAnnotations,
} from './object-diff.ts'
import type { Deciding } from './deciding.ts'
import type { Json } from './json.ts'
import { isApply, isRequestApplied, manifestCount } from './manifest.ts'
import { asStored } from './stored.ts'
import { isStranger, withoutDetails } from './strangers.ts'
import { Unread, type ReviewRequest } from './review.ts'
import { isWorkload } from './workload-shape.ts'

/** An update with a request annotation: the checks of its user take I/O. */
export interface NeedsReview {
  readonly type: 'needs review'
  readonly update: Update
  readonly request: RequestAnnotation
}

/**
 * Decides on CREATE or UPDATE of a workload or its status. The review carries both objects, so this needs no I/O,
 * except for a request annotation. @throws Unread
 */
export function reviewWorkload(review: ReviewRequest, deps: Deciding): AdmissionDecision | NeedsReview {
  const { rules, clock, trim } = deps
  const { subResource, options, userInfo, dryRun } = review
  const { kind, old, object } = objectsOf(review, deps)
  const after = trim(kind, object)
  const before = old && trim(kind, old)
  // As the registration's matchConditions: the Deployment controller copies our annotations to its ReplicaSets.
  if (kind === 'replicasets' && (before ?? after).owner) return allow('not_managed')
  if (after.deleting && (!before || subResource === 'status')) return allow('not_managed')
  const unknown = [...unknownAnnotations(old, object), ...misplacedLabels(old, object)]
  if (!before || !old) return admitCreate(after, clock(), rules, unknown)
  if (!hasMarks(before) && !hasMarks(after) && unknown.length === 0) return allow('not_managed')
  const bare = (decision: AdmissionDecision) =>
    isStranger(before.uid, deps.workloads.get(before), deps) ? withoutDetails(decision, before) : decision
  if (subResource === 'status') return bare(admitStatus(before, after, clock(), rules))
  const { fieldManager } = options
  const update = {
    before,
    after,
    otherChanges: changesMore(after, old, object),
    changesTemplate: changesTemplate(after, old, object),
    isApply: isApply(after, old, object, fieldManager),
    manifestCount: manifestCount(before, old, object, fieldManager),
    manager: fieldManager,
    by: reviewAuthor(userInfo.username, fieldManager),
    unknown,
    isDryRun: dryRun,
    ...asked(before, after, old, object),
  }
  if (after.deleting) return bare(decideWhileDeleted(update))
  const request = requestIn(update)
  return request ? { type: 'needs review', update, request } : bare(admitUpdate(update, clock(), rules))
}

interface Objects {
  readonly kind: Kind
  /** undefined: it is created. */
  readonly old: Json | undefined
  readonly object: Json
}

/** The objects of a review as they would be stored. @throws Unread if no API server sends such objects */
function objectsOf(request: ReviewRequest, { configured }: Deciding): Objects {
  const { operation, subResource, resource, object, oldObject } = request
  const kind = kindOf(resource.group, resource.resource)
  if (!kind || !isServed(kind, resource.version, configured))
    throw new Unread('unexpected', 'Dormouse does not serve this kind, or not in this version')
  const isCreation = operation === 'CREATE' && subResource === ''
  if (!isCreation && (operation !== 'UPDATE' || !['', 'status'].includes(subResource)))
    throw new Unread('unexpected', 'the review is neither that of a creation nor that of an update')
  const old = !isCreation && isWorkload(kind, oldObject) ? oldObject : undefined
  const stored =
    isRecord(object) && isRecord(object.metadata) ? asStored(object, old, subResource) : undefined
  if (!(isCreation || old) || !isWorkload(kind, stored))
    throw new Unread('unexpected', 'its object is not as Kubernetes has it')
  return { kind, old, object: stored }
}

/** The facts that only a request annotation needs. */
function asked(before: Workload, after: Workload, old: Json, object: Json): Partial<Update> {
  const { request } = after.annotations
  if (request === undefined) return {}
  return {
    isApplied: isRequestApplied(object, request),
    otherTool: { before: otherToolsKey(before, old), after: otherToolsKey(after, object) },
  }
}

function isServed(kind: Kind, version: string, configured: ReadonlySet<Kind> | undefined): boolean {
  return isBuiltIn(kind) ? factsOf(kind).version === version : configured?.has(kind) === true
}
