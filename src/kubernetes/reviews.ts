import type { ClusterUser, ResourceAccess, Reviews } from './ports.ts'
import type { KubernetesClient } from './client.ts'

interface TokenStatus {
  readonly authenticated?: boolean
  readonly audiences?: readonly string[]
  readonly user?: Partial<ClusterUser>
}

export interface AccessStatus {
  readonly allowed?: boolean
  readonly denied?: boolean
}

/** Asks the cluster whose a token is and what a user may do. Nothing is cached. Throws as `KubernetesClient` does. */
export class AccessReviews implements Reviews {
  readonly #client: Pick<KubernetesClient, 'call'>

  constructor(client: Pick<KubernetesClient, 'call'>) {
    this.#client = client
  }

  /**
   * The user of a token; undefined: it is not valid, or not for any of these audiences. An answer without audiences
   * comes from an API server that ignored ours and checked its own: a token for those is not for us.
   */
  async authenticate(token: string, audiences: readonly string[]): Promise<ClusterUser | undefined> {
    const spec = { token, audiences }
    const status = await review<TokenStatus>(this.#client, ['authentication.k8s.io/v1', 'TokenReview'], spec)
    if (status?.authenticated !== true || !status.user?.username) return undefined
    if (!status.audiences?.some((audience) => audiences.includes(audience))) return undefined
    // Kubernetes itself gives a user without a uid an empty one.
    const { username, uid = '', groups = [], extra = {} } = status.user
    return { username, uid, groups, extra }
  }

  async authorize(
    { username: user, uid, groups, extra }: ClusterUser,
    access: ResourceAccess,
  ): Promise<boolean> {
    const spec = { user, uid, groups, extra, resourceAttributes: access }
    const status = await review<AccessStatus>(
      this.#client,
      ['authorization.k8s.io/v1', 'SubjectAccessReview'],
      spec,
    )
    return status?.allowed === true && status.denied !== true
  }
}

/** The status that the cluster gives a review of this kind. */
export async function review<Status>(
  client: Pick<KubernetesClient, 'call'>,
  [apiVersion, kind]: readonly [apiVersion: string, kind: string],
  spec: object,
  signal?: AbortSignal,
): Promise<Status | undefined> {
  const resource = `${kind.toLowerCase()}s`
  const path = `/apis/${apiVersion}/${resource}`
  const body = { apiVersion, kind, spec }
  return (await client.call<{ status?: Status }>({ method: 'POST', resource, path, body, signal })).status
}
