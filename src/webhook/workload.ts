import type { Clock } from '../clock.ts'
import { admitCreate } from '../domain/admission/create.ts'
import { allow, type AdmissionDecision } from '../domain/admission/decision.ts'
import { admitStatus } from '../domain/admission/status.ts'
import { requestIn, type Brought } from '../domain/admission/brought.ts'
import { admitUpdate } from '../domain/admission/update.ts'
import type { Update } from '../domain/admission/draft.ts'
import { reviewAuthor } from '../domain/author.ts'
import type { Rules } from '../domain/rules.ts'
import { factsOf, hasKey, isBuiltIn, kindOf } from '../domain/kinds.ts'
import type { Kind, Workload } from '../domain/workload.ts'
import { changesMore, isApply, isRequestApplied, otherToolsKey, unknownAnnotations } from './object-diff.ts'
import type { ReviewRequest } from './review.ts'
import type { Json } from './json.ts'
import { isWorkload } from './workload-shape.ts'

export interface WorkloadDeps {
  readonly rules: Rules
  readonly clock: Clock
  /** Reads from a whole object what the rules need. */
  readonly trim: (kind: Kind, object: unknown) => Workload
  /** The kinds beside the built-in ones. */
  readonly configured?: ReadonlySet<Kind>
}

/** An update that asks for something: whether its user may ask, takes I/O. */
export interface Asking {
  readonly type: 'asking'
  readonly update: Update
  readonly brought: Brought
}

/**
 * Decides on CREATE or UPDATE of a workload or its status. The review carries both objects, so this needs no I/O but
 * for an update that asks for something.
 */
export function reviewWorkload(
  request: ReviewRequest,
  { rules, clock, trim, configured }: WorkloadDeps,
): AdmissionDecision | Asking {
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
    ...asked(before, after, old, request.object),
  }
  const brought = requestIn(update, clock())
  return brought ? { type: 'asking', update, brought } : admitUpdate(update, clock(), rules)
}

/** What only a request asks about. */
function asked(before: Workload, after: Workload, old: Json, object: Json): Partial<Update> {
  const { request } = after.annotations
  if (request === undefined) return {}
  return {
    isApplied: isRequestApplied(object, request),
    ...(hasKey(after.kind) && {
      otherTool: { before: otherToolsKey(before, old), after: otherToolsKey(after, object) },
    }),
  }
}

function isServed(kind: Kind, version: string, configured: ReadonlySet<Kind> | undefined): boolean {
  return isBuiltIn(kind) ? factsOf(kind).version === version : configured?.has(kind) === true
}

function isAnnotated({ annotations }: Workload): boolean {
  return Object.keys(annotations).length > 0
}
