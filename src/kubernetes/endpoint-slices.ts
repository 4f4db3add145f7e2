import { MANAGED_BY_LABEL, MANAGER } from '../domain/traffic/slices.ts'
import type { Collection } from './client.ts'

export const SLICE_TYPE = { apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice' } as const
const RESOURCE = 'endpointslices'

/** The EndpointSlices of a namespace; undefined: of all. */
export function slicesIn(namespace?: string): { resource: typeof RESOURCE; path: string } {
  const within = namespace === undefined ? '' : `/namespaces/${encodeURIComponent(namespace)}`
  return { resource: RESOURCE, path: `/apis/${SLICE_TYPE.apiVersion}${within}/${RESOURCE}` }
}

/** Those of ours. */
export function ownSlicesIn(namespace?: string): Collection {
  return { ...slicesIn(namespace), labelSelector: `${MANAGED_BY_LABEL}=${MANAGER}` }
}

/** The `DELETE` of one slice, unless it is another one by now. */
export function sliceDeletion(
  { namespace, name }: { readonly namespace: string; readonly name: string },
  preconditions: { readonly uid: string; readonly resourceVersion?: string },
) {
  const { resource, path } = slicesIn(namespace)
  return {
    method: 'DELETE',
    resource,
    path: `${path}/${encodeURIComponent(name)}`,
    contentType: 'application/json',
    body: { apiVersion: 'v1', kind: 'DeleteOptions', preconditions },
  } as const
}
