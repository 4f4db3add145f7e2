import type { Clock } from '../clock.ts'
import type { Rules } from '../domain/rules.ts'
import type { Kind, Workload } from '../domain/workload.ts'
import type { Logger } from '../logger.ts'
import type { Answered } from './answered.ts'
import type { LiveReader, Observer, Scaling, Workloads } from './ports.ts'
import type { ReviewRequest } from './review.ts'

export type Webhook = 'scale' | 'workloads' | 'probe'

/** What is made of a body without asking anybody; plain data, so that it can come from another thread. */
export type Prepared =
  | {
      readonly type: 'refused'
      readonly status: 400 | 413 | 503
      readonly message: string
      /** Of the review, where it is known: then it is denied, and no failure that the API server may ignore. */
      readonly uid?: string
    }
  | {
      readonly type: 'review'
      /** Of its objects only what is not judged yet: two Scales. */
      readonly review: ReviewRequest
      /** Of all but `scale`: these are judged by the review alone. */
      readonly answered: Answered | undefined
    }
  /** Judging it threw: a fault of ours. */
  | { readonly type: 'failed'; readonly review: ReviewRequest; readonly error: unknown }

/** Prepares reviews that would hold the event loop; rejects when they turn out to be too much. */
export interface LargeReviewer {
  prepare(webhook: Webhook, body: Uint8Array, gone: AbortSignal): Promise<Prepared>
}

export interface WebhookDeps {
  /** Told of each manual wake: what is written does not say who the user was. */
  readonly scalings: { saw(scaling: Scaling): void }
  readonly workloads: Workloads
  readonly live: LiveReader
  readonly large: LargeReviewer
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
