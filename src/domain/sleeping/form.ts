import type { PatchOperation } from '../json-patch.ts'
import type { Condition } from './condition.ts'

/** The fields of a workload that tell whether it sleeps. */
export interface Position {
  /** The count, for information where the status tells it; of a switch 0 while it says asleep, else 1. */
  readonly replicas: number
  /** The value of our key in the nodeSelector; undefined: the key is not there. */
  readonly snoozeKey: string | undefined
  /** Whether the nodeSelector exists. */
  readonly hasNodeSelector: boolean
  /** Set where the field does not have the value that stands for `replicas`. */
  readonly found?: Found | undefined
}

/** Another value in a field than its form gives it, or null at the outermost step of its path that is absent. */
export interface Found {
  readonly path: string
  readonly value: unknown
}

/** Another position; undefined: as it is, null: without the key. */
export interface Move {
  readonly replicas?: number
  readonly snoozeKey?: string | null
}

/** The counts in the status of any kind. */
export interface StatusCounts {
  readonly replicas?: number
  readonly readyReplicas?: number
  /** Pods that were told to end and have not yet: a Deployment's `replicas` is without them (from Kubernetes 1.35 on). */
  readonly terminatingReplicas?: number
  readonly desiredNumberScheduled?: number
  readonly currentNumberScheduled?: number
  readonly numberMisscheduled?: number
  readonly numberReady?: number
}

/** An object of the API server, as far as a form reads it. */
export interface FormedObject {
  readonly metadata?: object
  readonly spec?: object
  readonly status?: StatusCounts
}

/** How workloads are put to sleep: all that differs between forms of sleeping. `field` is a JSON pointer to a kind's field. */
export interface Form {
  readonly name: 'count' | 'nodeSelector' | 'switch'
  /** Whether its count stands in the field, so that who sets it puts to sleep or wakes; else the status tells it. */
  readonly countInSpec: boolean
  /** Whether it can run with another count than it should. */
  readonly scales: boolean
  /** Whether its count is one of pods, which follow the spec, and which sleep saves. */
  readonly countsPods: boolean
  /** The highest count that it can have. */
  readonly most: number
  /** The entry of its field that alone is ours; undefined: the whole field. */
  readonly entry?: string
  readonly words: Words

  read(object: FormedObject, field: string): Position
  /** The pods that exist and those that are ready. */
  pods(status: StatusCounts, position: Position): { readonly existing: number; readonly ready: number }
  /** The move that wakes it with a count, or puts it to sleep, with a count if it has one; undefined: it is there. */
  move(position: Position, wake: boolean, replicas: number): Move | undefined
  /** Tests that the object still has this position. */
  tests(position: Position, field: string): PatchOperation[]
  operations(position: Position, field: string, move: Move): PatchOperation[]
}

/** How the workloads of a kind sleep. */
export interface Sleeping {
  readonly form: Form
  /** The JSON pointer to the field. */
  readonly field: string
  /** Whether people and autoscalers use its scale subresource. */
  readonly hasScale: boolean
  /** Its own word for having stopped, and for being ready; absent: what its form says. */
  readonly asleepWhen?: Condition
  readonly awakeWhen?: Condition
}

/** Words about moves. */
interface Words {
  /** The way that a count came about: `scaled to 3 replicas`. */
  moved(replicas: number): string
  /** Somebody `suspended it`. */
  readonly emptied: string
  /** It is kept, or stays, `suspended`. */
  kept(replicas: number): string
  /** A manifest `suspends it`. */
  readonly empties: string
}
