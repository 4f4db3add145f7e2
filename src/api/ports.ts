import type { Clock } from '../clock.ts'
import type { Change } from '../domain/patch.ts'
import type { Rules } from '../domain/rules.ts'
import type { Kind, Workload, WorkloadKey } from '../domain/workload.ts'
import type { Logger } from '../logger.ts'

/** The informer's copies: all workloads of the four kinds that no controller owns. */
export interface Workloads {
  /** False until the first complete list of this kind, and while its copies may be old or missing. */
  isConnected(kind: Kind): boolean
  get(key: WorkloadKey): Workload | undefined
  list(namespace?: string, kind?: Kind): Iterable<Workload>
  onChange(listener: (before: Workload | undefined, after: Workload | undefined) => void): void
}

/** The patcher: reads and writes the cluster itself. Both throw Refusal CLUSTER_UNAVAILABLE or CLUSTER_REJECTED. */
export interface Writer {
  /** One live read; undefined: there is no such workload. */
  read(key: WorkloadKey): Promise<Workload | undefined>
  /**
   * Plans on the newest copy and sends the plan's change; `verify`: a refusal or "nothing to do" that rests
   * on the informer's copy is checked against one live read.
   * @throws Refusal NOT_FOUND, CONFLICT, and whatever `plan` throws
   */
  write<P extends { readonly change: Change | undefined }>(
    key: WorkloadKey,
    plan: (workload: Workload) => P,
    options: { priority: 'request'; verify: true },
  ): Promise<{ plan: P; workload: Workload; wrote: boolean }>
}

/** Who a TokenReview says a token belongs to. */
export interface ClusterUser {
  readonly username: string
  readonly uid: string
  readonly groups: readonly string[]
  readonly extra: Readonly<Record<string, readonly string[]>>
}

/** What a SubjectAccessReview is asked about; no namespace: in all of them. */
export interface ResourceAccess {
  readonly group: 'apps'
  readonly verb: 'get' | 'list' | 'patch' | 'update'
  readonly resource: Kind
  readonly subresource?: 'scale'
  readonly namespace?: string
  readonly name?: string
}

/** The cluster's own judgement of tokens and rights. Any error means that it could not be asked. */
export interface Reviews {
  /** Undefined: not a token that the cluster accepts for one of the audiences. */
  authenticate(token: string, audiences: readonly string[]): Promise<ClusterUser | undefined>
  authorize(user: ClusterUser, access: ResourceAccess): Promise<boolean>
  /** The public keys that the cluster signs tokens by, as a JWK set (RFC 7517); rejects where it does not show them. */
  keys?(): Promise<unknown>
}

/** Told of each answer: `route` is the route's template or `unmatched`, `seconds` how long it took. */
export interface RequestObserver {
  answered(route: string, method: string, code: number, seconds: number): void
}

export interface AuthSettings {
  readonly kubernetes: { readonly enabled: boolean; readonly audiences: readonly string[] }
  readonly oidc: readonly OidcSettings[]
  readonly local: LocalSettings | null
}

export interface OidcSettings {
  readonly issuer: string
  readonly audience: string
  readonly jwksUri: string
  readonly algorithms: readonly string[]
}

export interface LocalSettings {
  readonly issuer: string
  readonly audience: string
  /** PEM (SPKI) text of an Ed25519, P-256, P-384 or RSA key. */
  readonly publicKey: string
  /** What to do about a token that is not accepted; default: get a new one. */
  readonly advice?: string
}

export interface ApiSettings {
  readonly excludeNamespaces: readonly string[]
  /** Bytes. */
  readonly bodyLimit: number
  readonly rate: { readonly perSecond: number; readonly burst: number }
  readonly auth: AuthSettings
  /** Addresses and networks (CIDR) whose X-Forwarded-For is believed. */
  readonly trustedProxies: readonly string[]
}

export interface ApiDeps {
  readonly workloads: Workloads
  readonly writer: Writer
  /** Needed where `auth.kubernetes` is enabled. */
  readonly reviews?: Reviews
  readonly rules: Rules
  readonly clock: Clock
  readonly logger: Logger
  readonly settings: ApiSettings
  readonly observer: RequestObserver
  /**
   * What all replicas know and nobody else: continue tokens of one open with all of them. Absent: with this
   * process alone.
   */
  readonly secret?: () => string
}
