import type { Heir, Inherited, Namespace } from '../policy/inheritance.ts'
import type { Schedule } from '../schedule/schedule.ts'
import type { Keyring } from './tag.ts'
import type { WorkloadKey } from './workload.ts'

/** The service's settings that the rules depend on; durations in milliseconds. */
export interface Policy {
  readonly timezone: string
  readonly operationTimeout: number
  readonly newWorkloadGrace: number
  /** null: until the next edge. */
  readonly wakeHold: number | null
  readonly backoff: {
    readonly maxOperations: number
    readonly window: number
    readonly base: number
    readonly max: number
  }
}

/** The defaults of the service's configuration. */
export const DEFAULT_POLICY = {
  timezone: 'UTC',
  operationTimeout: 10 * 60_000,
  newWorkloadGrace: 15 * 60_000,
  wakeHold: 12 * 3_600_000,
  backoff: { maxOperations: 6, window: 3_600_000, base: 5 * 60_000, max: 3_600_000 },
} satisfies Policy
/** Kubernetes creates them, and the cluster itself runs in them: Dormouse never touches them. */
export const KUBERNETES_NAMESPACES: readonly string[] = ['kube-system', 'kube-public', 'kube-node-lease']

/** The inputs of a reading beside the workload. */
export interface ReadingRules {
  readonly policy: Policy
  /** Equal text, zone and list of calendars give the same object. Throws InvalidSchedule, and UnknownHours where they are not known. */
  readonly compile: (text: string, zone: string, calendar?: string) => Schedule
  /** Its inherited settings; undefined: its Namespace is not known, or is terminating. */
  readonly inherited: (workload: Heir & { readonly namespace: string }) => Inherited | undefined
  /** The same under this state of the Namespace; undefined: nobody asks for another than the present one. */
  readonly inheritedFrom?: (namespace: Namespace, workload: Heir) => Inherited
  /** Whether the workloads of these two states of a Namespace inherit the same. */
  readonly inheritsSame: (before: Namespace, after: Namespace) => boolean
  /** KEDA's ScaledObjects that name it as their target; undefined: nobody looks for them. */
  readonly scaledObjects?: (workload: WorkloadKey) => readonly { readonly deleting: boolean }[]
  /** The keys of states as they are now; undefined: this program has none, and believes each state. */
  readonly keyring?: () => Keyring | undefined
}
