import type { Released } from '../domain/deciding/released.ts'
import { FIELD_MANAGER } from '../domain/workload/workload.ts'
import type { Later } from '../process/clock.ts'
import { Companions } from '../process/companions.ts'
import { retryDelay } from '../process/delay.ts'
import type { Logger } from '../process/logger.ts'
import type { Runnable } from '../process/runnable.ts'
import type { KubernetesClient } from './client.ts'
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
  readonly later?: Later
}

/**
 * Writes the settings that clients need into the ConfigMap `dormouse` of `kube-public`: at each start, which is when
 * this replica begins to lead (new settings and versions come with new pods), and when notified that they changed. It
 * does not read first: the API server stores nothing if a patch changes nothing. A missing ConfigMap is not created.
 */
export class PublishedSettings implements Runnable {
  readonly name = 'published settings'
  readonly #options: Options
  readonly #loop: Companions

  constructor(options: Options) {
    this.#options = options
    this.#loop = new Companions({
      name: this.name,
      reconcile: (_, signal) => this.#write(signal),
      failed: (error, _, times) => this.#failed(error, times),
      mayWrite: options.mayWrite,
      later: options.later,
    })
  }

  /** Does not wait for the cluster's answer. */
  async start(): Promise<void> {
    await this.#loop.start()
    this.publishAgain()
  }

  /** The published settings are outdated: write them again. Does nothing unless started. */
  publishAgain(): void {
    this.#loop.changed()
  }

  async stop(): Promise<void> {
    await this.#loop.stop()
  }

  /** A refusal is not tried again until the settings change. */
  #failed(error: unknown, times: number): number | undefined {
    const { logger, isExpected } = this.#options
    if (!(error instanceof ClusterRefusal)) {
      logger.error({ err: error }, FAILED)
      return undefined
    }
    const isAway = error.code === 'CLUSTER_UNAVAILABLE'
    const advice = isAway ? undefined : ADVICE[error.status]
    const about = { error: error.message, ...(advice !== undefined && { advice }) }
    logger[isAway || isExpected ? 'warn' : 'info'](about, FAILED)
    return isAway ? retryDelay(times, FIRST_PAUSE, LONGEST_PAUSE) : undefined
  }

  async #write(signal: AbortSignal): Promise<undefined> {
    const { client, data } = this.#options
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
