import type { ObjectList } from './api-object.ts'
import type { Collection, KubernetesClient } from './client.ts'

/** Objects of one page. */
const LIMIT = 500

/**
 * All objects of a collection, page by page: the next page is asked for while the one before it is read, since a page says
 * at its beginning where the list goes on. @throws as `listPage`
 */
export async function* pagesOf<Listed>(
  client: Pick<KubernetesClient, 'listPage'>,
  collection: Collection,
  signal: AbortSignal,
): AsyncGenerator<Listed> {
  const asked = (token: string) => {
    const page = client.listPage<Listed>(collection, LIMIT, token, signal)
    // Nobody waits for it if the page before it fails.
    page.catch(() => undefined)
    return page
  }
  let coming: Promise<ObjectList<Listed>> | undefined = asked('')
  while (coming) {
    const page: ObjectList<Listed> = await coming
    const { continue: token = '' } = page.metadata
    coming = token === '' ? undefined : asked(token)
    yield* page.items
  }
}
