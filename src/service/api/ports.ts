import type { Clock, Monotonic } from '../process/clock.ts'
import type { Config } from '../config/config.ts'
import type { Change } from '../../domain/workload/patch.ts'
import type { Rules } from '../../domain/deciding/rules.ts'
import type { Kind, Workload, WorkloadKey } from '../../domain/workload/workload.ts'
import type { Logger } from '../process/logger.ts'

/** The informer's copies of all workloads, except those that a controller owns. */
export interface Workloads {
  /** False before the first complete list of this kind, and while its copies may be old or missing. */
  isConnected(kind: Kind): boolean
  /** Why a configured kind cannot be managed; undefined: nothing is known to be wrong with it. */
  faultOf?(kind: Kind): string | undefined
  get(key: WorkloadKey): Workload | undefined
  list(namespace?: string, kind?: Kind): Iterable<Workload>
  onChange(listener: (before: Workload | undefined, after: Workload | undefined) => void): void
}

/** `request` goes before all else; `wake` is a part of a wave of wakes, which may be paced. */
export type WritePriority = 'request' | 'wake'

/** The patcher: reads and writes the cluster itself. @throws Refusal CLUSTER_UNAVAILABLE, CLUSTER_REJECTED */
export interface Writer {
  /** One live read; undefined: the workload does not exist. */
  read(key: WorkloadKey): Promise<Workload | undefined>
  /**
   * Plans on the newest copy and sends the plan's change. `verify`: when the informer's copy leads to a refusal or to
   * no change, a live read confirms it.
   * @throws Refusal NOT_FOUND, CONFLICT, and whatever `plan` throws
   */
  write<P extends { readonly change: Change | undefined }>(
    key: WorkloadKey,
    plan: (workload: Workload) => P,
    options: { priority: WritePriority; verify: true },
  ): Promise<{ plan: P; workload: Workload; wrote: boolean }>
}

/** The user of a token, as a TokenReview tells. */
export interface ClusterUser {
  readonly username: string
  readonly uid: string
  readonly groups: readonly string[]
  readonly extra: Readonly<Record<string, readonly string[]>>
}

/** The subject of a SubjectAccessReview; no namespace: in all of them. */
export interface ResourceAccess {
  readonly group: string
  readonly verb: 'get' | 'list' | 'patch' | 'update'
  readonly resource: string
  readonly subresource?: 'scale'
  readonly namespace?: string
  readonly name?: string
}

/** The cluster's own reviews of tokens and rights. Any error means that it did not answer. */
export interface Reviews {
  /** Undefined: the cluster does not accept the token for any of the audiences. */
  authenticate(token: string, audiences: readonly string[]): Promise<ClusterUser | undefined>
  authorize(user: ClusterUser, access: ResourceAccess): Promise<boolean>
}

/** Called for each answer: `route` is the route's template or `unmatched`, `method` as sent, `seconds` the time it took. */
export interface RequestObserver {
  answered(route: string, method: string, code: number, seconds: number): void
}

export interface AuthSettings extends Omit<Config['auth'], 'local' | 'oidc'> {
  readonly oidc: readonly OidcSettings[]
  readonly local: LocalSettings | null
}

type ConfiguredOidc = Config['auth']['oidc'][number]
export type OidcSettings = Omit<ConfiguredOidc, 'asClusterUser'> &
  Partial<Pick<ConfiguredOidc, 'asClusterUser'>>

export interface LocalSettings {
  readonly issuer: string
  readonly audience: string
  /** PEM (SPKI) text of an Ed25519, P-256, P-384 or RSA key. */
  readonly publicKey: string
  /** What a refused caller should do; default: get a new token. */
  readonly advice?: string
}

export interface ApiSettings extends Pick<
  Config['api'],
  'bodyLimit' | 'rate' | 'trustedProxies' | 'waiters'
> {
  /** The kinds beside the built-in ones; default: none. */
  readonly kinds?: readonly Kind[]
  readonly excludeNamespaces: readonly string[]
  readonly auth: AuthSettings
}

/** What the console is asked. */
export interface ConsoleRequest {
  readonly method: string
  /** Without the query. */
  readonly path: string
  readonly header: (name: string) => string
  /** The address and port that it was received at. */
  readonly localAddress: string
  readonly localPort: number
}

export interface ConsoleAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer | string | undefined
}

/** The page for people, and how it signs in. */
export interface ConsolePages {
  /** undefined: not a path of the console. */
  answer(request: ConsoleRequest): Promise<ConsoleAnswer | undefined>
}

export interface ApiDeps {
  readonly workloads: Workloads
  readonly writer: Writer
  /** Needed where `auth.kubernetes` is enabled. */
  readonly reviews?: Reviews
  readonly rules: Rules
  readonly clock: Clock
  /** For what lasts a time: rates, and answers that are kept. */
  readonly monotonic: Monotonic
  readonly logger: Logger
  readonly settings: ApiSettings
  readonly observer: RequestObserver
  /** The page for people; absent: none. */
  readonly console?: ConsolePages
  /** How often the rights of those who watch lists are asked again, in milliseconds. */
  readonly watchBeat?: number
  /** How long a client may leave what was sent unread, in milliseconds. */
  readonly watchUnread?: number
}
