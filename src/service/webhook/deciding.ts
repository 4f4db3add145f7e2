import type { Rules } from '../../domain/deciding/rules.ts'
import type { Namespace } from '../../domain/policy/inheritance.ts'
import type { Kind, Workload } from '../../domain/workload/workload.ts'
import type { Copies, LiveReader, Reviews } from '../../kubernetes/ports.ts'
import type { Rate, RateLimit } from '../../http/rate-limit.ts'
import type { Clock } from '../../process/clock.ts'
import type { Logger } from '../../process/logger.ts'
import type { CurrentWorkloads } from './current-workloads.ts'
import type { Observer, Scaling } from './ports.ts'

export interface WebhookDeps {
  readonly workloads: Copies
  readonly live: LiveReader
  /** The informer's copy; undefined: it is not known. */
  readonly namespaceOf: (name: string) => Namespace | undefined
  readonly workloadsIn: (namespace: string) => Iterable<Workload>
  readonly rules: Rules
  /**
   * Resolves once the keys that signed this state are known, or known to be absent; undefined: states are not signed.
   * Rejects when the cluster does not say so in time.
   */
  readonly lookForKey?: ((workload: Pick<Workload, 'annotations'>) => Promise<void>) | undefined
  readonly clock: Clock
  readonly logger: Logger
  readonly observer: Observer
  /** Reads the rules' inputs from a whole object. */
  readonly trim: (kind: Kind, object: unknown) => Workload
  /** The kinds beside the built-in ones. */
  readonly configured?: ReadonlySet<Kind>
  /** Exact user names whose writes are always allowed. */
  readonly exemptUsers: ReadonlySet<string>
  readonly excludeNamespaces: ReadonlySet<string>
  /** The user name that Dormouse writes as; undefined: not known yet, so no write counts as Dormouse's. */
  readonly ownUser: () => string | undefined
  /** Whether the sender has proven to be an API server (`webhook.clientCA`). */
  readonly isAuthenticated: boolean
  readonly rights: Pick<Reviews, 'authorize'>
  /** The rate of requests by annotation, for each user and workload; the same as the API's. */
  readonly rate: Rate
  readonly limit: RateLimit
  /** Remembers each manual wake: the written object does not name the user. */
  readonly scalings: { add(scaling: Scaling): void }
}

/** The means of a decision. */
export interface Deciding extends WebhookDeps {
  readonly current: CurrentWorkloads
}
