import { MANAGED_BY_LABEL, MANAGER } from '../domain/traffic/slices.ts'
import type { KubernetesObject, ObjectList } from './api-object.ts'
import type { KubernetesClient } from './client.ts'
import { onStatus } from './failures.ts'
import { ENDPOINT_SLICES } from './traffic-informer.ts'

const PAGE = 500

/**
 * Deletes the EndpointSlices of ours but those in excluded namespaces, so that nothing leads to wakers any more. Returns
 * how many were deleted. @throws ClusterRefusal at the first that is refused; the signal's reason
 */
export async function deleteSlices(
  client: Pick<KubernetesClient, 'call' | 'listPage'>,
  excluded: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<number> {
  const { resource, path } = ENDPOINT_SLICES
  const collection = {
    ...ENDPOINT_SLICES,
    labelSelector: `${MANAGED_BY_LABEL}=${MANAGER}`,
    metadataOnly: true,
  }
  let deleted = 0
  for (let token: string | undefined = ''; token !== undefined;) {
    const page: ObjectList<KubernetesObject> = await client.listPage<KubernetesObject>(
      collection,
      PAGE,
      token,
      signal,
    )
    for await (const { metadata } of page.items) {
      const { namespace = '', name, uid } = metadata
      if (excluded.has(namespace)) continue
      await client
        .call({
          method: 'DELETE',
          resource,
          path: path.replace('/endpointslices', `/namespaces/${namespace}/endpointslices/${name}`),
          contentType: 'application/json',
          body: { apiVersion: 'v1', kind: 'DeleteOptions', preconditions: { uid } },
          signal,
        })
        .catch(onStatus([404, 409], undefined))
      deleted += 1
    }
    token = page.metadata.continue || undefined
  }
  return deleted
}
