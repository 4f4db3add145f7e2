import { allow, deny, type AdmissionDecision } from '../../domain/admission/decision.ts'
import { ANNOTATION, FIELD_MANAGER, PROBE_LABEL, probeAnswer } from '../../domain/workload/workload.ts'
import { reviewRequestAnnotation } from './request-annotation.ts'
import { annotationsOf, labelsOf, textsIn } from './json.ts'
import { reviewNamespace } from './namespace.ts'
import type { Deciding } from './deciding.ts'
import type { ReviewRequest } from './review.ts'
import { isScale, type Route } from './routes.ts'
import { lookForKey } from './keys.ts'
import { reviewScale } from './scale.ts'
import { subject } from './unread.ts'
import { reviewWorkload } from './workload.ts'

/** Controllers that scale as part of their work, by exact user name. `exemptUsers` adds to them. */
export const EXEMPT_USERS = [
  'system:kube-controller-manager',
  ...[
    'horizontal-pod-autoscaler',
    'deployment-controller',
    'statefulset-controller',
    'replicaset-controller',
    'daemon-set-controller',
    'generic-garbage-collector',
  ].map((name) => `system:serviceaccount:kube-system:${name}`),
  'system:serviceaccount:keda:keda-operator',
]

/** Labels, and annotations, of one object. Kubernetes limits only the size of the annotations. */
const MOST_ENTRIES = 4096
/** The nonce in the leader's probe: strangers get no other text back. */
const NONCE = /^[0-9a-f]{16}$/

/** Decides on a whole review. @throws Unread */
export async function decide(
  route: Route,
  review: ReviewRequest,
  deps: Deciding,
): Promise<AdmissionDecision> {
  const exempt = decideExempt(route, review, deps)
  if (exempt) return exempt
  if (isScale(route)) return await reviewScale(review, deps)
  if (hasTooManyEntries(review)) return tooManyEntries(review)
  if (route === 'probe') return reviewProbe(review)
  if (route === 'namespaces') return reviewNamespace(review, deps)
  const annotations = storedTexts(review)
  if (annotations.state !== undefined) await lookForKey({ annotations }, deps)
  const decision = reviewWorkload(review, deps)
  return decision.type === 'needs review' ? await reviewRequestAnnotation(review, decision, deps) : decision
}

/** The texts that say what an object is before this review, as far as they are texts. */
function storedTexts({ oldObject }: ReviewRequest): { readonly state?: string; readonly history?: string } {
  const { [ANNOTATION.state]: state, [ANNOTATION.history]: history } = annotationsOf(oldObject)
  return textsIn({ state, history })
}

/** The decision on a review that nothing of it can change: of excluded namespaces and exempt accounts. */
export function decideExempt(
  route: Route,
  review: ReviewRequest,
  deps: Deciding,
): AdmissionDecision | undefined {
  // Dormouse's own namespace, where the probe is, is excluded.
  if (route === 'probe') return undefined
  const namespace = route === 'namespaces' ? review.name : review.namespace
  if (deps.excludeNamespaces.has(namespace)) return allow('not_managed')
  return isExempt(review, deps) ? allow('exempt') : undefined
}

/** Dormouse's own user is exempt only by its field manager: an administrator may run Dormouse as themselves. */
function isExempt({ userInfo, options }: ReviewRequest, { exemptUsers, ownUser }: Deciding): boolean {
  const { username } = userInfo
  if (exemptUsers.has(username)) return true
  return options.fieldManager === FIELD_MANAGER && username !== '' && username === ownUser()
}

/** Whether the object under review has more labels or annotations than we check. */
function hasTooManyEntries({ object }: ReviewRequest): boolean {
  return [labelsOf(object), annotationsOf(object)].some((map) => Object.keys(map).length > MOST_ENTRIES)
}

function tooManyEntries(review: ReviewRequest): AdmissionDecision {
  const says = `has more than ${MOST_ENTRIES.toLocaleString('en')} labels or annotations: Dormouse checks no more than that`
  return deny('too_large', subject(review, says))
}

/** A review of the leader's own dry run, which proves that API servers reach us: the answer repeats its nonce. */
function reviewProbe({ object }: ReviewRequest): AdmissionDecision {
  const nonce = labelsOf(object)[PROBE_LABEL]
  return allow('probe', typeof nonce === 'string' && NONCE.test(nonce) ? [probeAnswer(nonce)] : [])
}
