import type { ServiceCopy, SliceCopy } from '../domain/traffic/copies.ts'
import { FAMILIES } from '../domain/traffic/service.ts'
import { MANAGED_BY_LABEL, MANAGER, SERVICE_LABEL } from '../domain/traffic/slices.ts'
import type { ObjectMeta } from './api-object.ts'

/** A Service: the fields that we read. */
export interface ServiceObject {
  readonly metadata: ObjectMeta
  readonly spec?: {
    readonly type?: string
    readonly clusterIP?: string
    readonly selector?: Readonly<Record<string, string>>
    readonly ipFamilies?: readonly string[]
    readonly ports?: readonly {
      readonly name?: string
      readonly port: number
      readonly protocol?: string
      readonly appProtocol?: string
    }[]
  }
}

/** An EndpointSlice of anybody: the fields that we read. */
export interface SliceObject {
  readonly metadata: ObjectMeta
  readonly addressType: string
  readonly ports?: readonly { readonly name?: string; readonly port?: number }[] | null
  readonly endpoints?:
    | readonly {
        readonly addresses: readonly string[]
        readonly conditions?: { readonly ready?: boolean | null; readonly terminating?: boolean | null }
        readonly targetRef?: { readonly kind?: string; readonly name?: string }
        readonly nodeName?: string
        readonly zone?: string
      }[]
    | null
}

export function trimService({ metadata, spec = {} }: ServiceObject): ServiceCopy {
  const { type = 'ClusterIP', clusterIP, selector, ipFamilies = [], ports = [] } = spec
  const { namespace = '', name, uid, resourceVersion } = metadata
  return {
    namespace,
    name,
    uid,
    resourceVersion,
    type,
    isHeadless: clusterIP === 'None',
    selector,
    families: FAMILIES.filter((each) => ipFamilies.includes(each)),
    ports: ports.map((each) => ({
      name: each.name ?? '',
      port: each.port,
      protocol: each.protocol ?? 'TCP',
      appProtocol: each.appProtocol,
    })),
  }
}

/** The ready endpoints of a slice of others: their addresses, and the number of each port by its name. */
export interface ReadyAddresses {
  readonly addresses: readonly string[]
  readonly ports: ReadonlyMap<string, number>
}

/** Pods that end may still be ready, but connections to them would be cut. */
export function readyAddresses({ addressType, endpoints, ports }: SliceObject): ReadyAddresses {
  const ready = (endpoints ?? []).filter(
    ({ conditions }) => conditions?.ready !== false && conditions?.terminating !== true,
  )
  const isDialled = FAMILIES.some((each) => each === addressType)
  return {
    addresses: isDialled ? ready.flatMap(({ addresses: [address] }) => address ?? []) : [],
    ports: new Map(
      (ports ?? []).flatMap(({ name = '', port }) => (port === undefined ? [] : [[name, port]])),
    ),
  }
}

/** undefined: a slice of no Service. */
export function trimSlice(
  slice: SliceObject,
  isOfWakers: (service: { readonly namespace: string; readonly name: string }) => boolean,
): SliceCopy | undefined {
  const { namespace = '', name, uid, resourceVersion, labels = {} } = slice.metadata
  const service = labels[SERVICE_LABEL]
  if (service === undefined) return undefined
  const key = { namespace, name, uid, resourceVersion, service }
  if (labels[MANAGED_BY_LABEL] === MANAGER) {
    const { managedFields: _, ...metadata } = slice.metadata
    return { ...key, own: { ...slice, metadata }, readyPods: [], wakers: [] }
  }
  const family = FAMILIES.find((each) => each === slice.addressType)
  // Kubernetes reads a condition that nobody set as true.
  const ready = (slice.endpoints ?? []).filter(({ conditions }) => conditions?.ready !== false)
  const wakers = family !== undefined && isOfWakers({ namespace, name: service }) ? ready : []
  return {
    ...key,
    readyPods: ready.map(({ targetRef }) => (targetRef?.kind === 'Pod' ? (targetRef.name ?? '') : '')),
    wakers: wakers.flatMap(({ addresses: [address], nodeName, zone }) =>
      address === undefined || family === undefined ? [] : { address, family, nodeName, zone },
    ),
  }
}
