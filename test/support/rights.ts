import type { Client } from '../control-plane/client.ts'

const GROUP = 'rbac.authorization.k8s.io'
const REVIEWS = '/apis/authorization.k8s.io/v1/subjectaccessreviews'

/** A rule of a Role or ClusterRole. */
export interface Rule {
  readonly apiGroups: readonly string[]
  readonly resources: readonly string[]
  readonly resourceNames?: readonly string[]
  readonly verbs: readonly string[]
}

/** The subject of a binding. */
interface Subject {
  readonly kind: string
  readonly name: string
  readonly namespace?: string
  readonly apiGroup?: string
}

export const user = (name: string): Subject => ({ kind: 'User', name, apiGroup: GROUP })
export const everyoneOf = (group: string): Subject => ({ kind: 'Group', name: group, apiGroup: GROUP })
export const account = (namespace: string, name: string): Subject => ({
  kind: 'ServiceAccount',
  name,
  namespace,
})

/**
 * Gives somebody rights, in a namespace or everywhere: by a role and a binding of this name, or of a ClusterRole that is
 * there, which a text names.
 */
export async function grant(
  admin: Client,
  subject: Subject,
  { name, rights, namespace }: { name: string; rights: readonly Rule[] | string; namespace?: string },
): Promise<void> {
  const scope = namespace === undefined ? 'cluster' : ''
  const within = `/apis/${GROUP}/v1${namespace === undefined ? '' : `/namespaces/${namespace}`}`
  const own = { apiGroup: GROUP, kind: namespace === undefined ? 'ClusterRole' : 'Role', name }
  const given = typeof rights === 'string'
  if (!given) await admin.expect('POST', `${within}/${scope}roles`, { metadata: { name }, rules: rights })
  await admin.expect('POST', `${within}/${scope}rolebindings`, {
    metadata: { name },
    roleRef: given ? { apiGroup: GROUP, kind: 'ClusterRole', name: rights } : own,
    subjects: [subject],
  })
}

/** Takes back what was given everywhere by this name. */
export async function takeBack(admin: Client, name: string): Promise<void> {
  for (const kind of ['clusterrolebindings', 'clusterroles'])
    await admin.send('DELETE', `/apis/${GROUP}/v1/${kind}/${name}`)
}

/** An access as in `resourceAttributes` of a SubjectAccessReview; without a namespace: in all namespaces. */
interface Access {
  readonly verb: string
  readonly group: string
  readonly resource: string
  readonly subresource?: string | undefined
  readonly namespace?: string | undefined
  readonly name?: string | undefined
}

/** Whether the cluster lets a user do this. */
export async function isAllowed(admin: Client, user: string, access: Access): Promise<boolean> {
  const spec = { user, groups: ['system:authenticated'], resourceAttributes: access }
  const { status } = await admin.expect('POST', REVIEWS, { spec })
  return status?.['allowed'] === true
}
