import { allow, type AdmissionDecision } from '../../domain/admission/decision.ts'
import { FIELD_MANAGER } from '../../domain/workload/workload.ts'
import type { AskingDeps } from './asking.ts'
import type { ReviewRequest } from './review.ts'
import type { Route } from './routes.ts'
import type { ScaleDeps } from './scale.ts'
import { Unread } from './unread.ts'

/** Controllers that scale as part of their work, by exact user name (design, section 6). `exemptUsers` adds to them. */
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

export interface AdmissionDeps extends ScaleDeps, AskingDeps {
  /** Exact user names whose writes are always allowed. */
  readonly exemptUsers: ReadonlySet<string>
  readonly excludeNamespaces: ReadonlySet<string>
  /** The user name that Dormouse writes as; undefined: not known yet, so no write counts as Dormouse's. */
  readonly ownUser: () => string | undefined
}

/** The decision on a review that nothing of it can change: of excluded namespaces and exempt accounts. */
export function decideExempt(
  route: Route,
  review: ReviewRequest,
  deps: AdmissionDeps,
): AdmissionDecision | undefined {
  // Dormouse's own namespace, where the probe is, is excluded.
  if (route === 'probe') return undefined
  const namespace = route === 'namespaces' ? review.name : review.namespace
  if (deps.excludeNamespaces.has(namespace)) return allow('not_managed')
  return isExempt(review, deps) ? allow('exempt') : undefined
}

/** Dormouse's own user is exempt only by its field manager: an administrator may run Dormouse as themselves. */
function isExempt({ userInfo, options }: ReviewRequest, { exemptUsers, ownUser }: AdmissionDeps): boolean {
  const { username } = userInfo
  if (exemptUsers.has(username)) return true
  return options.fieldManager === FIELD_MANAGER && username !== '' && username === ownUser()
}

/** Why the review is unread: a fault of ours is logged, and names no more than the review. */
export function unreadBy(
  error: unknown,
  { uid }: Pick<ReviewRequest, 'uid'>,
  { logger }: Pick<AdmissionDeps, 'logger'>,
): Unread {
  if (error instanceof Unread) return error
  logger.error({ err: error, review: uid }, 'a review failed')
  return new Unread('failed', `a fault of Dormouse, whose log has the review ${uid}`)
}
