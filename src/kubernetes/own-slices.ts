import type { KubernetesObject, ObjectList } from './api-object.ts'
import type { KubernetesClient } from './client.ts'
import { ownSlicesIn, sliceDeletion } from './endpoint-slices.ts'
import { onStatus } from './failures.ts'

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
  const collection = { ...ownSlicesIn(), metadataOnly: true }
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
        .call({ ...sliceDeletion({ namespace, name }, { uid }), signal })
        .catch(onStatus([404, 409], undefined))
      deleted += 1
    }
    token = page.metadata.continue || undefined
  }
  return deleted
}
