import { FIELD_MANAGER } from '../domain/workload.ts'
import type { Logger } from '../logger.ts'
import type { Runnable } from '../runnable.ts'
import type { KubernetesClient } from './client.ts'
import { delay as systemDelay, retryDelay, type Delay } from './delay.ts'
import { ClusterRefusal } from './failures.ts'

/** The chart creates it, and lets everybody who is known to the cluster read it. */
const PATH = `/api/v1/namespaces/kube-public/configmaps/dormouse?fieldManager=${FIELD_MANAGER}`
/** Milliseconds. */
const FIRST_PAUSE = 1000
const LONGEST_PAUSE = 60_000

const FAILED = 'the settings for clients could not be published in the ConfigMap dormouse of kube-public'
const ADVICE: Readonly<Record<number, string>> = {
  404: "the chart's value publish.enabled creates it; publish.enabled: false of the configuration publishes nothing",
  403: 'the Role <release>-publisher of kube-public, which the chart brings, has to allow patch of it',
}

interface Options {
  readonly client: Pick<KubernetesClient, 'call'>
  /** By key; null: the key is removed. Other keys stay. */
  readonly data: Readonly<Record<string, string | null>>
  /** Whether this replica may write at this very moment. */
  readonly mayWrite: () => boolean
  readonly logger: Logger
  readonly delay?: Delay
}

/**
 * Writes the settings that clients need into the ConfigMap `dormouse` of `kube-public` each time that it is started,
 * which is when this replica begins to lead: new settings and versions come with new pods. Nothing is read before: the
 * API server stores nothing where a patch changes nothing. Where there is no such ConfigMap, none is created.
 */
export class PublishedSettings implements Runnable {
  readonly name = 'published settings'
  readonly #options: Options
  #ending = new AbortController()
  #work: Promise<void> = Promise.resolve()

  constructor(options: Options) {
    this.#options = options
  }

  /** Nothing waits for the cluster's answer. */
  async start(): Promise<void> {
    this.#ending = new AbortController()
    this.#work = this.#publish(this.#ending.signal)
  }

  async stop(): Promise<void> {
    this.#ending.abort()
    await this.#work
  }

  async #publish(signal: AbortSignal): Promise<void> {
    const { mayWrite, delay = systemDelay } = this.#options
    for (let attempt = 1; !signal.aborted; attempt += 1) {
      try {
        if (mayWrite()) return await this.#write(signal)
      } catch (error) {
        if (signal.aborted) return
        this.#warn(error)
        // Refused: until the next start.
        if (!(error instanceof ClusterRefusal) || error.code !== 'CLUSTER_UNAVAILABLE') return
      }
      await delay(retryDelay(attempt, FIRST_PAUSE, LONGEST_PAUSE), signal).catch(() => undefined)
    }
  }

  #warn(error: unknown): void {
    const advice = error instanceof ClusterRefusal ? ADVICE[error.status] : undefined
    this.#options.logger.warn({ err: error, ...(advice !== undefined && { advice }) }, FAILED)
  }

  async #write(signal: AbortSignal): Promise<void> {
    const { client, data } = this.#options
    await client.call({
      method: 'PATCH',
      verb: 'patch',
      resource: 'configmaps',
      path: PATH,
      contentType: 'application/merge-patch+json',
      body: { data },
      signal,
    })
  }
}
