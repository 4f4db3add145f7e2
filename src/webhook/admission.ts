import { allow, deny, type AdmissionDecision } from '../domain/admission/decision.ts'
import { about } from '../domain/admission/messages.ts'
import { kindOf } from '../domain/kinds.ts'
import { FIELD_MANAGER } from '../domain/workload.ts'
import type { CurrentWorkloads } from './current-workloads.ts'
import type { Prepared, Webhook } from './prepare.ts'
import type { ReviewRequest } from './review.ts'
import { reviewAsking, type AskingDeps } from './asking.ts'
import { reviewScale, type ScaleDeps } from './scale.ts'

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

/** Decides on a review. A fault of ours never blocks a deploy, and never lets anybody scale. */
export async function admit(
  webhook: Webhook,
  prepared: Exclude<Prepared, { type: 'refused' }>,
  deps: AdmissionDeps,
  current: CurrentWorkloads,
): Promise<AdmissionDecision> {
  const { review } = prepared
  if (webhook === 'probe' && prepared.type === 'decided') return prepared.decision
  if (deps.excludeNamespaces.has(review.namespace)) return allow('not_managed')
  if (isExempt(review, deps)) return allow('exempt')
  try {
    if (prepared.type === 'failed') throw prepared.error
    if (prepared.type === 'decided') return prepared.decision
    return prepared.type === 'asking'
      ? await reviewAsking(prepared.review, prepared.asking, deps, current)
      : await reviewScale(prepared.review, deps, current)
  } catch (error) {
    deps.logger.error({ err: error, webhook, review: review.uid }, 'a review failed')
    const message = faultMessage(review)
    return webhook === 'workloads' ? allow('failed', [message]) : deny('failed', message)
  }
}

/** Dormouse's own user is exempt only by its field manager: an administrator may run Dormouse as themselves. */
function isExempt({ userInfo, options }: ReviewRequest, { exemptUsers, ownUser }: AdmissionDeps): boolean {
  const { username } = userInfo
  if (exemptUsers.has(username)) return true
  return options.fieldManager === FIELD_MANAGER && username !== '' && username === ownUser()
}

function faultMessage({ uid, resource, namespace, name }: ReviewRequest): string {
  const says = `was not checked, by a fault of Dormouse: its log has the review ${uid}`
  const kind = kindOf(resource.group, resource.resource)
  return kind ? about({ kind, namespace, name }, says) : `Dormouse: the object ${says}`
}
