import { Refusal } from '../process/errors.ts'
import type { Logger } from '../process/logger.ts'
import type { Runnable } from '../process/runnable.ts'
import type { KubernetesClient } from './client.ts'
import { delay, retryDelay, type Delay } from '../process/delay.ts'

interface SelfSubjectReview {
  readonly status?: { readonly userInfo?: { readonly username?: string } }
}

/**
 * The username by which the cluster authenticates us (`authentication.k8s.io/v1` SelfSubjectReview, which every account
 * may create).
 */
export async function ownUsername(
  client: Pick<KubernetesClient, 'call'>,
  signal: AbortSignal,
): Promise<string> {
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' }
  const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews'
  const call = { method: 'POST', resource: 'selfsubjectreviews', path, body, signal } as const
  const { status } = await client.call<SelfSubjectReview>(call)
  const user = status?.userInfo?.username
  if (!user) throw new Error('the answer to a SelfSubjectReview has no username')
  return user
}

const FIRST_RETRY_MS = 100
const LONGEST_RETRY_MS = 2000
const LONGEST_REFUSED_MS = 30_000

/** Our own username in the cluster. */
export class Identity implements Runnable {
  readonly name = 'identity'
  readonly #client: Pick<KubernetesClient, 'call'>
  readonly #logger: Logger
  readonly #delay: Delay
  readonly #stopped = new AbortController()
  #user: string | undefined

  constructor(client: Pick<KubernetesClient, 'call'>, logger: Logger, wait: Delay = delay) {
    this.#client = client
    this.#logger = logger
    this.#delay = wait
  }

  /** undefined: not known yet; until then no user is recognised as Dormouse. */
  get user(): string | undefined {
    return this.#user
  }

  /** Asks until the cluster answers: without our username we could not recognise our own writes. */
  async start(): Promise<void> {
    const { signal } = this.#stopped
    for (let failures = 1; this.#user === undefined; failures += 1) {
      try {
        this.#user = await ownUsername(this.#client, signal)
      } catch (error) {
        signal.throwIfAborted()
        const away = error instanceof Refusal && error.code === 'CLUSTER_UNAVAILABLE'
        if (!away)
          this.#logger.warn({ err: error }, 'cannot learn our own username from the cluster; retrying')
        const longest = away ? LONGEST_RETRY_MS : LONGEST_REFUSED_MS
        await this.#delay(retryDelay(failures, FIRST_RETRY_MS, longest), signal)
      }
    }
  }

  stop(): Promise<void> {
    this.#stopped.abort()
    return Promise.resolve()
  }
}
