import type { KubernetesObject } from './api-object.ts'
import type { KubernetesClient } from './client.ts'
import { ownSlicesIn, sliceDeletion } from './endpoint-slices.ts'
import { onStatus } from './failures.ts'
import { pagesOf } from './pages.ts'

/**
 * Deletes the EndpointSlices of ours but those in excluded namespaces, so that nothing leads to wakers any more.
 * @throws ClusterRefusal at the first that is refused; the signal's reason
 */
export async function deleteSlices(
  client: Pick<KubernetesClient, 'call' | 'listPage'>,
  excluded: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<void> {
  const collection = { ...ownSlicesIn(), metadataOnly: true }
  for await (const { metadata } of pagesOf<KubernetesObject>(client, collection, signal)) {
    const { namespace = '', name, uid } = metadata
    if (excluded.has(namespace)) continue
    await client
      .call({ ...sliceDeletion({ namespace, name }, { uid }), signal })
      .catch(onStatus([404, 409], undefined))
  }
}
