import type { Call } from './client.ts'

/** What the reviews need of `KubernetesClient`. */
export interface Caller {
  create<Answer>(resource: string, path: string, body: unknown, signal?: AbortSignal): Promise<Answer>
  call<Answer>(call: Call): Promise<Answer>
}

export interface ReviewedUser {
  readonly username: string
  readonly uid: string | undefined
  readonly groups: readonly string[]
  readonly extra: Readonly<Record<string, readonly string[]>>
}

/** One access to resources of `apps`; namespace or name left out: all of them. */
export interface Access {
  readonly group: 'apps'
  readonly verb: string
  readonly resource: string
  readonly subresource?: string
  readonly namespace?: string
  readonly name?: string
}

/** Milliseconds: whoever shows a new token waits for it. */
const KEYS_TIMEOUT = 2000

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

/** Asks the cluster who somebody is and what they may. Nothing is cached. Throws as `KubernetesClient` does. */
export class AccessReviews {
  readonly #calls: Caller

  constructor(calls: Caller) {
    this.#calls = calls
  }

  /**
   * Whose token it is; undefined: it is not valid, or not for any of these audiences. An answer without
   * audiences is of an API server that knows only its own, for which nobody should hand us a token.
   */
  async authenticate(token: string, audiences: readonly string[]): Promise<ReviewedUser | undefined> {
    const review = {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenReview',
      spec: { token, audiences },
    }
    const path = '/apis/authentication.k8s.io/v1/tokenreviews'
    const { status } = await this.#calls.create<TokenReview>('tokenreviews', path, review)
    if (status?.authenticated !== true || !status.user?.username) return undefined
    if (!status.audiences?.some((audience) => audiences.includes(audience))) return undefined
    const { username, uid, groups = [], extra = {} } = status.user
    return { username, uid, groups, extra }
  }

  async authorize(user: ReviewedUser, access: Access): Promise<boolean> {
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
    const { status } = await this.#calls.create<SubjectAccessReview>('subjectaccessreviews', path, review)
    return status?.allowed === true && status.denied !== true
  }

  /**
   * The public keys that the API server signs service account tokens by, as a JWK set. Every service account may
   * read them by default (ClusterRole `system:service-account-issuer-discovery`).
   */
  async keys(): Promise<unknown> {
    const path = '/openid/v1/jwks'
    const accept = 'application/jwk-set+json, application/json'
    return this.#calls.call({
      method: 'GET',
      verb: 'get',
      resource: 'jwks',
      path,
      accept,
      retries: 0,
      timeout: KEYS_TIMEOUT,
    })
  }
}
