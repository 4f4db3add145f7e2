import type { Reading } from '../reading.ts'
import type { Workload } from '../workload.ts'
import type { AdmissionReason } from './decision.ts'

/** An update under review. */
export interface Update {
  readonly before: Workload
  /** As the person sent it. */
  readonly after: Workload
  /** Whether anything differs but the count (DaemonSet: our key) and our annotations and label. */
  readonly otherChanges: boolean
  /** A server-side apply, or kubectl's own: nobody removed on purpose what it leaves out. */
  readonly isApply: boolean
  /** The client's field manager. */
  readonly manager: string | undefined
  /** The author of a manual wake. */
  readonly by: string | null
  /** Annotations below `dormouse.dev/` that are not ours, as far as this update added or changed them. */
  readonly unknown: readonly string[]
}

/** What becomes of the count or the key in an update, before the decision is made. */
export interface Draft {
  /** What the object is to become. */
  readonly target: Reading
  readonly reason: AdmissionReason
  readonly warnings: readonly string[]
}
