import { allow, deny, type AdmissionDecision } from '../../domain/admission/decision.ts'
import { about } from '../../domain/admission/messages.ts'
import { kindOf } from '../../domain/kinds.ts'
import { stateOf } from '../../domain/workload/reading.ts'
import type { ReadingRules } from '../../domain/workload/settings-rules.ts'
import { heldBy } from '../../domain/workload/state.ts'
import { HELD_LABEL } from '../../domain/workload/workload.ts'
import type { Logger } from '../../process/logger.ts'
import { labelsOf } from './json.ts'
import type { Copies } from '../../kubernetes/ports.ts'
import { Unread, type ReviewRequest } from './review.ts'
import { isHeldOnly, isScale, type Route } from './routes.ts'

/** Why the review is unread: a fault of ours is logged, and names no more than the review. */
export function unreadBy(error: unknown, { uid }: ReviewRequest, logger: Logger): Unread {
  if (error instanceof Unread) return error
  logger.error({ err: error, review: uid }, 'a review failed')
  return new Unread('failed', `a fault of Dormouse, whose log has the review ${uid}`)
}

interface Known {
  readonly workloads: Pick<Copies, 'get'>
  readonly rules: ReadingRules
}

/**
 * The one answer to a review that cannot be decided, for whatever reason: denies an update of a held workload (held by
 * the route, by the old object's label, or by the informer's copy), and one that changes what Dormouse alone writes: it
 * may bring back a state that was signed once, or have one signed for a forged review. All else passes with a warning:
 * a state that a creation brings is signed for no workload yet.
 */
export function decideUnread(
  route: Route,
  review: ReviewRequest,
  { reason, message }: Unread,
  deps: Known,
): AdmissionDecision {
  if (route === 'probe') return allow(reason)
  if (isHeldOnly(route) || isHeld(review, deps))
    return deny(reason, subject(review, `is held by a pin or an override, and ${notDone(route)}: ${message}`))
  if (route === 'marks')
    return deny(reason, subject(review, `keeps its dormouse.dev marks, and ${notDone(route)}: ${message}`))
  return allow(reason, [subject(review, `was not checked: ${message}`)])
}

function notDone(route: Route): string {
  return isScale(route) ? 'this scaling was not checked' : 'this write was not checked'
}

function isHeld({ oldObject, ...review }: ReviewRequest, { workloads, rules }: Known): boolean {
  if (labelsOf(oldObject)[HELD_LABEL] !== undefined) return true
  const kind = kindOf(review.resource.group, review.resource.resource)
  const copy = kind && workloads.get({ kind, namespace: review.namespace, name: review.name })
  const state = copy && stateOf(copy, rules)
  return copy?.labels?.[HELD_LABEL] !== undefined || (state !== undefined && heldBy(state) !== undefined)
}

/** A message about the object under review, of whatever type. */
export function subject({ resource, namespace, name }: ReviewRequest, says: string): string {
  const kind = kindOf(resource.group, resource.resource)
  return kind ? about({ kind, namespace, name }, says) : `Dormouse: the object ${says}`
}
