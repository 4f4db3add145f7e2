import type { ClusterUser, ResourceAccess, Reviews } from './ports.ts'
import type { KubernetesClient } from './client.ts'

interface TokenReview {
  readonly status?: {
    readonly authenticated?: boolean
    readonly audiences?: readonly string[]
    readonly user?: {
      readonly username?: string
      readonly uid?: string
      readonly groups?: readonly string[]
      readonly extra?: Readonly<Record<string, readonly string[]>>
    }
  }
}

interface SubjectAccessReview {
  readonly status?: { readonly allowed?: boolean; readonly denied?: boolean }
}

/** Asks the cluster whose a token is and what a user may do. Nothing is cached. Throws as `KubernetesClient` does. */
type Client = Pick<KubernetesClient, 'create' | 'call'>

export class AccessReviews implements Reviews {
  readonly #client: Client

  constructor(client: Client) {
    this.#client = client
  }

  /**
   * The user of a token; undefined: it is not valid, or not for any of these audiences. An answer without audiences
   * comes from an API server that ignored ours and checked its own: a token for those is not for us.
   */
  async authenticate(token: string, audiences: readonly string[]): Promise<ClusterUser | undefined> {
    const review = {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenReview',
      spec: { token, audiences },
    }
    const path = '/apis/authentication.k8s.io/v1/tokenreviews'
    const { status } = await this.#client.create<TokenReview>('tokenreviews', path, review)
    if (status?.authenticated !== true || !status.user?.username) return undefined
    if (!status.audiences?.some((audience) => audiences.includes(audience))) return undefined
    // Kubernetes itself gives a user without a uid an empty one.
    const { username, uid = '', groups = [], extra = {} } = status.user
    return { username, uid, groups, extra }
  }

  async authorize(user: ClusterUser, access: ResourceAccess): Promise<boolean> {
    const review = {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SubjectAccessReview',
      spec: {
        user: user.username,
        uid: user.uid,
        groups: user.groups,
        extra: user.extra,
        resourceAttributes: access,
      },
    }
    const path = '/apis/authorization.k8s.io/v1/subjectaccessreviews'
    const { status } = await this.#client.create<SubjectAccessReview>('subjectaccessreviews', path, review)
    return status?.allowed === true && status.denied !== true
  }
}
