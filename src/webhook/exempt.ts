import { FIELD_MANAGER } from '../domain/workload.ts'

/** Controllers that scale as part of their work; matched by exact name (design, section 6). `exemptUsers` adds to them. */
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

/** Whether a review is not ours to judge: an administrator who runs Dormouse by hand is no exception but for its own writes. */
export function isExempt(
  user: string,
  manager: string | undefined,
  { exemptUsers, ownUser }: { exemptUsers: ReadonlySet<string>; ownUser: () => string | undefined },
): boolean {
  return exemptUsers.has(user) || (manager === FIELD_MANAGER && user !== '' && user === ownUser())
}
