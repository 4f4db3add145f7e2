import type { Reading } from '../workload/reading.ts'
import type { Workload } from '../workload/workload.ts'
import type { AdmissionReason } from './decision.ts'

/** An update under review. */
export interface Update {
  readonly before: Workload
  /** As the person sent it. */
  readonly after: Workload
  /** Whether anything differs but the count (DaemonSet: our key) and our annotations and label. */
  readonly otherChanges: boolean
  /** Whether it is a server-side apply, or kubectl's own: a field that it lacks was not removed on purpose. */
  readonly isApply: boolean
  /** The client's field manager. */
  readonly manager: string | undefined
  /** The author of a manual wake. */
  readonly by: string | null
  /** Annotations below `dormouse.dev/` that are not ours, as far as this update added or changed them. */
  readonly unknown: readonly string[]
  /** Whether a manifest that is applied has the request, so that each later sync would bring it again. */
  readonly isApplied?: boolean
  /** DaemonSet: the key by which another tool keeps it asleep, before and after this update; undefined: none. */
  readonly otherTool?: { readonly before: string | undefined; readonly after: string | undefined }
}

/** The count (DaemonSet: the key) after an update, before the other decisions about it. */
export interface Draft {
  /** The object as it will be stored. */
  readonly target: Reading
  readonly reason: AdmissionReason
  readonly warnings: readonly string[]
}
