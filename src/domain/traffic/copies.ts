import type { Service } from './service.ts'
import type { OwnerReference, Waker } from './slices.ts'

/** A Service as the cluster has it. */
export interface ServiceCopy extends Service {
  readonly resourceVersion: string
}

/** An EndpointSlice of anybody, trimmed to what the rules need. */
export interface SliceCopy {
  readonly namespace: string
  readonly name: string
  readonly uid: string
  readonly resourceVersion: string
  /** The Service whose endpoints it has. */
  readonly service: string
  /** One of ours, as it stands, whoever has edited it. */
  readonly own?: OwnSlice
  /** The pods of its ready endpoints; '': one that is no pod. */
  readonly readyPods: readonly string[]
  /** Its ready endpoints, if it is a slice of the wakers' own Service. */
  readonly wakers: readonly Waker[]
}

export interface OwnSlice {
  readonly metadata: {
    readonly labels?: Readonly<Record<string, string>>
    readonly annotations?: Readonly<Record<string, string>>
    readonly ownerReferences?: readonly Partial<OwnerReference>[]
  }
  readonly ports?: readonly { readonly name?: string; readonly port?: number }[] | null
  readonly endpoints?: readonly object[] | null
}
