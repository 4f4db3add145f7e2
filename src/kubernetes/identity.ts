import { Refusal } from '../errors.ts'
import type { Logger } from '../logger.ts'
import type { Runnable } from '../runnable.ts'
import type { KubernetesClient } from './client.ts'
import { delay, retryDelay, type Delay } from './delay.ts'

interface SelfSubjectReview {
  readonly status?: { readonly userInfo?: { readonly username?: string } }
}

const FIRST_RETRY_MS = 100
const LONGEST_RETRY_MS = 2000

/** Who we are to the cluster (`authentication.k8s.io/v1` SelfSubjectReview, which every account may ask for). */
export class Identity implements Runnable {
  readonly name = 'identity'
  readonly #client: Pick<KubernetesClient, 'create'>
  readonly #logger: Logger
  readonly #delay: Delay
  readonly #stopped = new AbortController()
  #user: string | undefined

  constructor(client: Pick<KubernetesClient, 'create'>, logger: Logger, wait: Delay = delay) {
    this.#client = client
    this.#logger = logger
    this.#delay = wait
  }

  /** undefined: not known, so nobody is taken for Dormouse. */
  get user(): string | undefined {
    return this.#user
  }

  /** Asks until the cluster answers; one that refuses to say leaves the user unknown. */
  async start(): Promise<void> {
    const { signal } = this.#stopped
    for (let failures = 1; ; failures += 1) {
      try {
        this.#user = await this.#ask(signal)
        return
      } catch (error) {
        signal.throwIfAborted()
        if (!(error instanceof Refusal) || error.code !== 'CLUSTER_UNAVAILABLE') {
          this.#logger.warn({ err: error }, 'the cluster does not say who we are')
          return
        }
        await this.#delay(retryDelay(failures, FIRST_RETRY_MS, LONGEST_RETRY_MS), signal)
      }
    }
  }

  stop(): Promise<void> {
    this.#stopped.abort()
    return Promise.resolve()
  }

  async #ask(signal: AbortSignal): Promise<string | undefined> {
    const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' }
    const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews'
    const { status } = await this.#client.create<SelfSubjectReview>('selfsubjectreviews', path, body, signal)
    return status?.userInfo?.username
  }
}
