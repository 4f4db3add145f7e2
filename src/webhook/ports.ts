import type { Clock, Instant } from '../clock.ts'
import type { Rules } from '../domain/rules.ts'
import type { Kind, Workload, WorkloadKey } from '../domain/workload.ts'
import type { Logger } from '../logger.ts'

/** The informer's copies. */
export interface Workloads {
  /** All have been listed and the watches stand: what is not here does not exist, or was created a moment ago. */
  isSynced(): boolean
  get(key: WorkloadKey): Workload | undefined
}

/** One live read; undefined: there is no such workload. Throws Refusal when the cluster does not answer. */
export interface LiveReader {
  read(key: WorkloadKey, signal?: AbortSignal): Promise<Workload | undefined>
}

export interface CertificateObserver {
  /** When the serving certificate runs out. */
  certificateExpires(at: Instant): void
}

export interface Observer {
  admission(
    webhook: string,
    decision: 'allowed' | 'denied' | 'patched',
    reason: string,
    seconds: number,
  ): void
}

export interface WebhookDeps {
  readonly workloads: Workloads
  readonly live: LiveReader
  /** What the rules need of a whole object of `apps/v1`. */
  readonly trim: (kind: Kind, object: unknown) => Workload
  readonly rules: Rules
  readonly clock: Clock
  readonly logger: Logger
  readonly observer: Observer
  /** Exact user names whose doings are nobody's by hand; Dormouse's own counts only with its field manager. */
  readonly exemptUsers: ReadonlySet<string>
  readonly excludeNamespaces: ReadonlySet<string>
  /** undefined: not known, so nobody is taken for Dormouse. */
  readonly ownUser: () => string | undefined
}
