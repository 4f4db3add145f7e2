import { CLIENT_MANAGER } from '../../domain/annotations.ts'
import { KubernetesClient } from '../../kubernetes/client.ts'
import type { HttpTransport } from '../../kubernetes/http.ts'
import { pagesOf } from '../../kubernetes/pages.ts'
import type { ClusterObjects, Patched } from '../ports.ts'
import { explaining, isMissing } from './failures.ts'
import { retriedOverRate } from './pace.ts'
import { NO_OBSERVER } from './reader.ts'

/** The cluster's objects as they are, with the person's own rights. */
export class ApiObjects implements ClusterObjects {
  readonly place: string
  readonly #transport: Pick<HttpTransport, 'send' | 'open' | 'close'>
  readonly #client: KubernetesClient
  readonly #signal: AbortSignal

  constructor(
    transport: Pick<HttpTransport, 'send' | 'open' | 'close'>,
    context: string,
    signal: AbortSignal,
  ) {
    this.place = `cluster ${context}`
    this.#transport = transport
    this.#signal = signal
    this.#client = new KubernetesClient({
      transport,
      observer: NO_OBSERVER,
      userAgent: CLIENT_MANAGER,
      timeout: 30_000,
    })
  }

  async list<Listed>(path: string): Promise<Listed[] | undefined> {
    return this.#ifServed(async () => {
      const listed: Listed[] = []
      const collection = { resource: resourceIn(path), path }
      for await (const each of pagesOf<Listed>(this.#client, collection, this.#signal)) listed.push(each)
      return listed
    })
  }

  async get<Object>(path: string): Promise<Object | undefined> {
    const call = {
      method: 'GET',
      verb: 'get',
      resource: resourceIn(path),
      path,
      signal: this.#signal,
    } as const
    return this.#ifServed(() => this.#client.call<Object>(call))
  }

  /** undefined: the cluster has nothing there. */
  #ifServed<Result>(act: () => Promise<Result>): Promise<Result | undefined> {
    return explaining(this.place, () =>
      act().catch((error: unknown) => {
        if (isMissing(error)) return undefined
        throw error
      }),
    )
  }

  /** Finishes even if the signal is aborted, so that the person learns the outcome. */
  async patch(path: string, body: object, dryRun: boolean): Promise<Patched> {
    const query = `?fieldManager=${CLIENT_MANAGER}${dryRun ? '&dryRun=All' : ''}`
    return explaining(this.place, async () => {
      const call = {
        method: 'PATCH',
        verb: 'patch',
        resource: resourceIn(path),
        path: `${path}${query}`,
        contentType: 'application/merge-patch+json',
        body,
      } as const
      const { answer, warnings } = await retriedOverRate(() => this.#client.answered(call))
      return { annotations: answer.metadata.annotations ?? {}, warnings }
    })
  }

  async remove(path: string): Promise<void> {
    await explaining(this.place, () =>
      this.#client.call({
        method: 'DELETE',
        verb: 'delete',
        resource: resourceIn(path),
        path,
        signal: this.#signal,
      }),
    )
  }

  async close(): Promise<void> {
    await this.#transport.close()
  }
}

/** `deployments` of `/apis/apps/v1/deployments` and of `/apis/apps/v1/namespaces/shop/deployments/web`. */
function resourceIn(path: string): string {
  const [, resource = ''] = /\/v\d\w*\/(?:namespaces\/[^/]+\/)?([^/]+)/.exec(path) ?? []
  return resource
}
