import type { StatusCounts } from '../domain/sleeping/form.ts'

/**
 * The fields that we read of the API server's JSON, under their own names. client-node's models would rename
 * fields and make Dates, at the cost of a conversion of every object.
 */
export interface ObjectMeta {
  readonly name: string
  readonly namespace?: string
  readonly uid: string
  readonly resourceVersion: string
  readonly generation?: number
  readonly creationTimestamp?: string
  readonly deletionTimestamp?: string
  readonly annotations?: Readonly<Record<string, string>>
  readonly labels?: Readonly<Record<string, string>>
  readonly ownerReferences?: readonly OwnerReference[]
  readonly managedFields?: readonly ManagedFieldsEntry[]
}

export interface OwnerReference {
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
  readonly uid?: string
  readonly controller?: boolean
}

/** An object of whatever kind. */
export interface KubernetesObject {
  readonly metadata: ObjectMeta
}

export interface ManagedFieldsEntry {
  readonly manager?: string
  readonly subresource?: string
  /** `Apply` of a server-side apply, else `Update`. */
  readonly operation?: string
  readonly time?: string
  readonly fieldsV1?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

export interface ResourceRequirements {
  readonly requests?: Readonly<Record<string, string | number>>
  readonly limits?: Readonly<Record<string, string | number>>
}

export interface Container {
  readonly restartPolicy?: string
  readonly resources?: ResourceRequirements
}

export interface PodSpec {
  readonly containers?: readonly Container[]
  readonly initContainers?: readonly Container[]
  readonly nodeSelector?: Readonly<Record<string, string>>
  /** Pod-level resources (KEP-2837). */
  readonly resources?: ResourceRequirements
  readonly overhead?: Readonly<Record<string, string | number>>
}

/** A workload of any kind: the fields that we read. */
export interface WorkloadObject {
  readonly apiVersion?: string
  readonly kind?: string
  readonly metadata: ObjectMeta
  readonly spec?: {
    readonly replicas?: number
    readonly suspend?: boolean
    readonly template?: {
      readonly metadata?: { readonly labels?: Readonly<Record<string, string>> }
      readonly spec?: PodSpec
    }
    readonly persistentVolumeClaimRetentionPolicy?: { readonly whenScaled?: string }
  }
  readonly status?: StatusCounts & {
    readonly observedGeneration?: number
    readonly lastScheduleTime?: string | null
    /** A configured kind may have anything here. */
    readonly conditions?: unknown
  }
}

/** The answer to a patch: the whole object, or its metadata alone (`PartialObjectMetadata`). */
export type PatchAnswer = WorkloadObject

/** Reads the JSON of one object. */
export type Read<T> = (text: string) => T

/** One page of a collection; its objects are read once, and before its signal is aborted. */
export interface ObjectList<Listed> {
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string }
  readonly items: AsyncIterable<Listed>
}

export type WatchEvent<Watched> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: Watched }
  | {
      readonly type: 'BOOKMARK'
      readonly object: { readonly metadata: { readonly resourceVersion: string } }
    }
  | {
      readonly type: 'ERROR'
      readonly object: { readonly code?: number; readonly message?: string; readonly reason?: string }
    }
