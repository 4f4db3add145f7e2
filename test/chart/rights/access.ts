import type { Client } from '../../control-plane/client.ts'

const REVIEWS = '/apis/authorization.k8s.io/v1/subjectaccessreviews'

/** An access as in `resourceAttributes` of a SubjectAccessReview; without a namespace: in all namespaces. */
interface Access {
  readonly verb: string
  readonly group: string
  readonly resource: string
  readonly subresource?: string | undefined
  readonly namespace?: string | undefined
  readonly name?: string | undefined
}

/** Whether the cluster lets a service account do this (`namespace/name`). */
export async function isAllowed(client: Client, account: string, access: Access): Promise<boolean> {
  const spec = {
    user: `system:serviceaccount:${account.replace('/', ':')}`,
    groups: ['system:serviceaccounts', 'system:authenticated'],
    resourceAttributes: access,
  }
  const { status } = await client.expect('POST', REVIEWS, { spec })
  return status?.['allowed'] === true
}
