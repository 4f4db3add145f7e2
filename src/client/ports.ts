import type { NamespaceRecord } from '../domain/records/namespace-record.ts'
import type { Hours } from '../domain/requests/as-if.ts'
import type { TransitionRecord, StatusRecord } from '../domain/records/record.ts'
import type { Request } from '../domain/requests/operations.ts'
import type { Sleep } from '../domain/schedule/schedule.ts'
import type { Trouble } from '../domain/workload/trouble.ts'
import type { Kind, WorkloadKey } from '../domain/workload/workload.ts'

/** A workload as the API's v1 shows it, and its kind by the name of its resource. */
export interface Found {
  readonly kind: Kind
  readonly record: StatusRecord
  /** Its context, where several clusters are read as one. */
  readonly cluster?: string
  /** The same for people, as `clusterNames` has it. */
  readonly clusterName?: string
}

/** The workloads of a list; of those that a controller owns, only the ones that `isListed` shows. */
export interface Selection {
  /** undefined: of all namespaces. */
  readonly namespace: string | undefined
  /** As kubectl takes it. */
  readonly labelSelector?: string | undefined
  readonly kind?: Kind | undefined
  /** One workload alone. */
  readonly name?: string | undefined
}

/** A workload as it is now, or its removal. */
export interface Seen extends Found {
  readonly gone: boolean
}

/** The outcome of a request. */
export interface Answer {
  /** The things done (in a dry run: that would be) and why, in the service's own words, the most important first. */
  readonly messages: readonly string[]
  /** The workload after it; computed on demand. */
  readonly after: () => Promise<Found>
  /** The state that Dormouse will bring about after this write; `--wait` waits for it. */
  readonly becomes?: Sleep
  /** Whether it was in the requested state before; undefined: it is not known, or no state was requested. */
  readonly wasSo?: boolean
}

/** Which cluster it is, and as whom the person acts there; null: it is not known. */
export interface Whoami {
  /** The context's name; over HTTP, as the configuration of the service names it. */
  readonly cluster: string | null
  /** As the cluster or the service authenticates them. */
  readonly user: string | null
}

/**
 * Dormouse as the commands need it, through the cluster or over HTTP. Every call throws `Refusal` for a refusal and
 * `Error` for a failure; the message says what to type.
 */
export interface Dormouse {
  /** The name for messages: `cluster dev`; once settings were read, `cluster dev-eu (arn:aws:…)`. */
  readonly place: string
  /** How the service calls its cluster; undefined: it has no such name, or nothing was read yet. */
  readonly clusterName?: string | undefined
  /** The namespace of a command without `-n`. */
  readonly defaultNamespace: string
  /** Workloads that may be missing, for people; complete once something was read. */
  readonly notes: readonly string[]
  /** Unknown settings that affect the records. */
  readonly unknowns: readonly string[]
  whoami(): Promise<Whoami>
  /** The UIDs that this cluster alone has, as far as the person may read it: two clusters have nothing in common. */
  clusterIds?(): Promise<readonly string[]>
  /** undefined: it does not tell. */
  serviceVersion(): Promise<string | undefined>
  kinds(): Promise<readonly Kind[]>
  namespaces(): Promise<readonly string[]>
  /** undefined: the person may not know. */
  hasNamespace(name: string): Promise<boolean | undefined>
  /** Sorted by namespace, name and kind. */
  list(selection: Selection): Promise<readonly Found[]>
  /** The records of namespaces, summed up over these workloads, by name. */
  summaries(selection: Omit<Selection, 'name'>): Promise<readonly NamespaceRecord[]>
  get(key: WorkloadKey): Promise<Found>
  /** Why its pods are not ready, as they say themselves; undefined: nothing, or the person may not read them. */
  podTrouble(key: WorkloadKey): Promise<Trouble | undefined>
  /** The transitions of the coming hours if nobody acts; `asIf`: as if it were managed, with these hours. */
  plan(key: WorkloadKey, hours: number, asIf?: Hours): Promise<readonly TransitionRecord[]>
  /** With `dryRun` it changes nothing, and the answer says what it would do. */
  request(key: WorkloadKey, request: Request, dryRun: boolean): Promise<Answer>
  /** First all as they are, then each change; ends when the signal is aborted. */
  watch(selection: Selection, signal: AbortSignal): AsyncIterable<Seen>
  close(): Promise<void>
}

/** How the commands reach it. */
export interface Connection {
  readonly namespace?: string | undefined
  readonly context?: string | undefined
  /** Globs separated by commas: several clusters are read as one. */
  readonly contexts?: string | undefined
  readonly kubeconfig?: string | undefined
  readonly as?: string | undefined
  readonly asGroup?: readonly string[] | undefined
  /** The URL of the HTTP API; undefined: through the cluster. */
  readonly server?: string | undefined
  readonly certificateAuthority?: string | undefined
  /** The token may go over plain HTTP. */
  readonly insecure?: boolean | undefined
  /** For one of several clusters: milliseconds that it has for an answer. Its warnings name it. */
  readonly patience?: number | undefined
}

/**
 * A context of the kubeconfig. Those of the same cluster have an equal `cluster`; so have those behind a proxy that
 * chooses the cluster by the `user`.
 */
export interface KnownContext {
  readonly name: string
  readonly cluster: string
  readonly user?: string
}

/** The object after a patch, and the warnings of webhooks. */
export interface Patched {
  readonly annotations: Readonly<Record<string, string>>
  readonly warnings: readonly string[]
}

/** Objects of any kind, beyond Dormouse's own. Fails as `Dormouse` does. */
export interface ClusterObjects {
  readonly place: string
  /** All at `/apis/apps/v1/deployments`; undefined: the cluster does not serve that. */
  list<Listed>(path: string): Promise<Listed[] | undefined>
  /** undefined: there is none. */
  get<Object>(path: string): Promise<Object | undefined>
  /** A merge patch (RFC 7396) of one object. */
  patch(path: string, body: object, dryRun: boolean): Promise<Patched>
  remove(path: string): Promise<void>
  close(): Promise<void>
}
