import type { Released } from '../domain/deciding/released.ts'
import { FIELD_MANAGER } from '../domain/workload/workload.ts'
import type { Logger } from '../process/logger.ts'
import type { Runnable } from '../process/runnable.ts'
import type { KubernetesClient } from './client.ts'
import { delay as systemDelay, retryDelay, type Delay } from './delay.ts'
import { ClusterRefusal, onStatus } from './failures.ts'

/** The chart creates it, and lets every authenticated user read it. */
const PATH = `/api/v1/namespaces/kube-public/configmaps/dormouse?fieldManager=${FIELD_MANAGER}`
/** Milliseconds. */
const FIRST_PAUSE = 1000
const LONGEST_PAUSE = 60_000

const FAILED = 'the settings for clients could not be published in the ConfigMap dormouse of kube-public'
const ADVICE: Readonly<Record<number, string>> = {
  404:
    'kubectl dormouse cannot know them. Create it, and start Dormouse again: kubectl create configmap dormouse -n kube-public ' +
    "(the chart's value publish.enabled does so, and lets everybody read it)",
  403: 'the Role <release>-publisher of kube-public, which the chart brings, has to allow patch of it',
}

/**
 * Tells clients who released the cluster; undefined: nobody any more. A leader removes it with its first settings. Not
 * told where there is no ConfigMap, or the account may not write it. @throws ClusterRefusal
 */
export async function publishRelease(
  client: Pick<KubernetesClient, 'call'>,
  released: Released | undefined,
  signal: AbortSignal,
): Promise<void> {
  const call = {
    method: 'PATCH',
    resource: 'configmaps',
    path: PATH,
    contentType: 'application/merge-patch+json',
    body: { data: { released: released === undefined ? null : JSON.stringify(released) } },
    signal,
  } as const
  await client.call<unknown>(call).catch(onStatus([403, 404], undefined))
}

interface Options {
  readonly client: Pick<KubernetesClient, 'call'>
  /** By key; any other key is removed. */
  readonly data: () => Readonly<Record<string, string>>
  /** Whether this replica may write at this very moment. */
  readonly mayWrite: () => boolean
  /** Whether it is a warning that the cluster refuses it. */
  readonly isExpected: boolean
  readonly logger: Logger
  readonly delay?: Delay
}

/**
 * Writes the settings that clients need into the ConfigMap `dormouse` of `kube-public`: at each start, which is when
 * this replica begins to lead (new settings and versions come with new pods), and when notified that they changed. It
 * does not read first: the API server stores nothing if a patch changes nothing. A missing ConfigMap is not created.
 */
export class PublishedSettings implements Runnable {
  readonly name = 'published settings'
  readonly #options: Options
  /** undefined: not started. */
  #ending: AbortController | undefined
  #work: Promise<void> = Promise.resolve()
  /** Whether a change is waiting that no write has begun to send. */
  #isDue = false

  constructor(options: Options) {
    this.#options = options
  }

  /** Does not wait for the cluster's answer. */
  async start(): Promise<void> {
    this.#ending = new AbortController()
    this.publishAgain()
  }

  /** The published settings are outdated: write them again. Does nothing unless started. */
  publishAgain(): void {
    if (!this.#ending || this.#isDue) return
    this.#isDue = true
    const { signal } = this.#ending
    this.#work = this.#work.then(() => this.#publish(signal))
  }

  async stop(): Promise<void> {
    this.#ending?.abort()
    this.#ending = undefined
    await this.#work
    this.#isDue = false
  }

  async #publish(signal: AbortSignal): Promise<void> {
    const { mayWrite, delay = systemDelay } = this.#options
    for (let attempt = 1; !signal.aborted; attempt += 1) {
      try {
        if (mayWrite()) return await this.#write(signal)
      } catch (error) {
        if (signal.aborted) return
        if (!(error instanceof ClusterRefusal) || error.code !== 'CLUSTER_UNAVAILABLE')
          return this.#refused(error)
        this.#isDue = true
        this.#options.logger.warn({ error: error.message }, FAILED)
      }
      await delay(retryDelay(attempt, FIRST_PAUSE, LONGEST_PAUSE), signal).catch(() => undefined)
    }
  }

  /** Not tried again until the settings change. */
  #refused(error: unknown): void {
    const { logger, isExpected } = this.#options
    if (!(error instanceof ClusterRefusal)) return logger.error({ err: error }, FAILED)
    const advice = ADVICE[error.status]
    const about = { error: error.message, ...(advice !== undefined && { advice }) }
    if (isExpected) logger.warn(about, FAILED)
    else logger.info(about, FAILED)
  }

  async #write(signal: AbortSignal): Promise<void> {
    const { client, data } = this.#options
    this.#isDue = false
    await client.call({
      method: 'PATCH',
      resource: 'configmaps',
      path: PATH,
      contentType: 'application/json-patch+json',
      // All of it: a key that a newer version left behind would say that the service is newer.
      body: [{ op: 'add', path: '/data', value: data() }],
      signal,
    })
  }
}
