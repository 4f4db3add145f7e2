import type { Workload } from '../workload/workload.ts'

/** The count by a manifest that is applied: it stops naming one, or it names that of the sleeper (a CronJob: `suspend: true`). */
export type ManifestCount = 'absent' | 'asleep'

/** An update under review. */
export interface Update {
  readonly before: Workload
  /** As the person sent it. */
  readonly after: Workload
  /** Whether anything differs but the count (DaemonSet: our key) and our annotations and label. */
  readonly otherChanges: boolean
  /** Whether it is a server-side apply, or kubectl's own: a field that it lacks was not removed on purpose. */
  readonly isApply: boolean
  /** For a sleeper that a manifest is applied to; undefined: the object's own count tells, or none is applied. */
  readonly manifestCount?: ManifestCount | undefined
  /** The client's field manager. */
  readonly manager: string | undefined
  /** The author of a manual wake. */
  readonly by: string | null
  /** Annotations below `dormouse.dev/` that are not ours, as far as this update added or changed them. */
  readonly unknown: readonly string[]
  /** Whether a manifest that is applied has the request, so that each later sync would bring it again. */
  readonly isApplied?: boolean
  /** Whether it is a dry run, for the words about its request. */
  readonly isDryRun?: boolean
  /** Whether the template of its pods or jobs differs. */
  readonly changesTemplate?: boolean
  /** DaemonSet: the key by which another tool keeps it asleep, before and after this update; undefined: none. */
  readonly otherTool?: { readonly before: string | undefined; readonly after: string | undefined }
}
