import { allow, deny, type AdmissionDecision } from '../../domain/admission/decision.ts'
import { about } from '../../domain/admission/messages.ts'
import { kindOf } from '../../domain/kinds.ts'
import { PROBE_LABEL, probeAnswer } from '../../domain/workload/workload.ts'
import { decideExempt, unreadBy, type AdmissionDeps } from './admission.ts'
import { reviewAsking } from './asking.ts'
import type { CurrentWorkloads } from './current-workloads.ts'
import { jsonOf } from './json.ts'
import { hasTooManyEntries, isTooDense, MOST_ENTRIES } from './limits.ts'
import { reviewNamespace } from './namespace.ts'
import { readReview, textOf, type ReviewRequest } from './review.ts'
import { isScale, type Route } from './routes.ts'
import { reviewScale, trimScales } from './scale.ts'
import { createdWitness, decideUnread, witnessOf } from './undecided.ts'
import { Unread } from './unread.ts'
import { reviewWorkload, type WorkloadDeps } from './workload.ts'

type Deps = AdmissionDeps & WorkloadDeps

/** A review without its objects, decided as far as that needs no I/O; the rest is what needs it. */
export interface Prepared {
  readonly review: ReviewRequest
  readonly decision: AdmissionDecision | (() => Promise<AdmissionDecision>)
}

/** Parses a body, and decides on the review as far as that needs no I/O. @throws Unread */
export function prepare(route: Route, body: Uint8Array, deps: Deps, current: CurrentWorkloads): Prepared {
  if (isTooDense(body))
    throw new Unread('unexpected', 'the review has more values than a Kubernetes object can have')
  const whole = readReview(parsed(body))
  const review = { ...whole, object: createdWitness(whole.object), oldObject: witnessOf(whole.oldObject) }
  const exempt = decideExempt(route, whole, deps)
  if (exempt) return { review, decision: exempt }
  try {
    return { review, decision: decided(route, whole, review, deps, current) }
  } catch (error) {
    return { review, decision: decideUnread(route, whole, unreadBy(error, whole, deps), deps.workloads) }
  }
}

/** `whole`: with its objects; `review`: without. */
function decided(
  route: Route,
  whole: ReviewRequest,
  review: ReviewRequest,
  deps: Deps,
  current: CurrentWorkloads,
): Prepared['decision'] {
  if (isScale(route)) {
    const trimmed = trimScales(whole)
    return () => reviewScale(trimmed, deps, current)
  }
  if (hasTooManyEntries(whole)) return tooManyEntries(whole)
  if (route === 'probe') return reviewProbe(whole)
  if (route === 'namespaces') return reviewNamespace(whole, deps.rules)
  const decision = reviewWorkload(whole, deps)
  return decision.type === 'asking' ? () => reviewAsking(review, decision, deps, current) : decision
}

function tooManyEntries({ resource, namespace, name }: ReviewRequest): AdmissionDecision {
  const says = `has more than ${MOST_ENTRIES.toLocaleString('en')} labels or annotations: Dormouse checks no more than that`
  const kind = kindOf(resource.group, resource.resource)
  const message = kind ? about({ kind, namespace, name }, says) : `Dormouse: the object ${says}`
  return deny('too_large', message)
}

/** The nonce in the leader's probe: strangers get no other text back. */
const NONCE = /^[0-9a-f]{16}$/

/** A review of the leader's own dry run, which proves that API servers reach us: the answer repeats its nonce. */
function reviewProbe({ object }: ReviewRequest): AdmissionDecision {
  const nonce = jsonOf(jsonOf(jsonOf(object).metadata).labels)[PROBE_LABEL]
  return allow('probe', typeof nonce === 'string' && NONCE.test(nonce) ? [probeAnswer(nonce)] : [])
}

function parsed(body: Uint8Array): unknown {
  try {
    return JSON.parse(textOf(body))
  } catch {
    return undefined
  }
}
