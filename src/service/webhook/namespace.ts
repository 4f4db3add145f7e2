import { isRecord } from '../../domain/json-schema.ts'
import type { Annotations } from '../../domain/admission/annotations.ts'
import { withWarnings, type AdmissionDecision } from '../../domain/admission/decision.ts'
import { movedByNamespace, tellMoves } from '../../domain/admission/namespace-moves.ts'
import { admitNamespace } from '../../domain/admission/namespace.ts'
import { INHERITED_ANNOTATIONS } from '../../domain/policy/inheritance.ts'
import { ANNOTATION } from '../../domain/workload/workload.ts'
import type { Deciding } from './deciding.ts'
import { annotationsOf, jsonOf, labelsOf, textsIn } from './json.ts'
import { changedAnnotations } from './object-diff.ts'
import { Unread, type ReviewRequest } from './review.ts'

const INHERITED: readonly string[] = INHERITED_ANNOTATIONS.map((name) => ANNOTATION[name])

/** Decides on CREATE or UPDATE of a Namespace. @throws Unread */
export function reviewNamespace(
  { operation, name, object, oldObject, resource }: ReviewRequest,
  { rules, clock, namespaceOf, workloadsIn, isAuthenticated }: Deciding,
): AdmissionDecision {
  const isUpdate = operation === 'UPDATE'
  if (resource.resource !== 'namespaces' || !isRecord(object) || (isUpdate && !isRecord(oldObject)))
    throw new Unread('unexpected', 'the review is not that of a Namespace')
  const changed = changedAnnotations(jsonOf(oldObject), object)
  const write = {
    name,
    before: isUpdate ? inheritedFrom(oldObject) : undefined,
    after: inheritedFrom(object),
    others: changed.filter((each) => !INHERITED.includes(each)),
  }
  const decision = admitNamespace(write, rules)
  const copy = isUpdate ? namespaceOf(name) : undefined
  // Only those who can read the Namespace know its uid: strangers learn nothing of its workloads.
  const { uid } = jsonOf(jsonOf(oldObject).metadata)
  if (decision.type === 'denied' || !copy || !(isAuthenticated || copy.uid === uid)) return decision
  const after = { annotations: write.after, labels: textsIn(labelsOf(object)) }
  const moved = movedByNamespace(copy, after, workloadsIn(name), clock(), rules)
  return withWarnings(decision, tellMoves(name, moved, clock()))
}

function inheritedFrom(object: unknown): Annotations {
  const annotations = annotationsOf(object)
  const inherited = INHERITED_ANNOTATIONS.map((name) => [name, annotations[ANNOTATION[name]]] as const)
  return textsIn(Object.fromEntries(inherited))
}
