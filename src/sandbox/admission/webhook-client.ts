import { Agent, request } from 'undici'
import type { Webhook } from '../store/webhook-configuration.ts'

const CONNECTIONS = 32
const LARGEST_ANSWER = 16 * 1024 * 1024

/** A webhook could not be called, or its answer is not valid; the message begins as the real server's. */
export class WebhookFailure extends Error {
  override readonly name = 'WebhookFailure'
}

/**
 * Posts reviews over TLS. Each CA bundle has its own connection pool, so that a connection verified by a CA that
 * is no longer trusted is not used again.
 */
export class WebhookClient {
  readonly #agents = new Map<string, Agent>()

  /** @throws WebhookFailure */
  async post(webhook: Webhook, review: object): Promise<unknown> {
    const { name, url, timeoutSeconds } = webhook
    if (url === undefined)
      throw failure(name, 'the sandbox has no network of Services: only clientConfig.url can be reached')
    const target = `${url}?timeout=${timeoutSeconds}s`
    try {
      const { statusCode, body } = await request(target, {
        dispatcher: this.#agent(webhook.caBundle),
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, */*',
          'user-agent': 'kube-apiserver-admission',
        },
        body: JSON.stringify(review),
        signal: AbortSignal.timeout(timeoutSeconds * 1000),
      })
      const answer = await body.text()
      if (statusCode !== 200) throw failure(name, `it answered ${statusCode}`)
      return JSON.parse(answer)
    } catch (error) {
      if (error instanceof WebhookFailure) throw error
      throw failure(name, `Post "${target}": ${reasonOf(error)}`)
    }
  }

  async close(): Promise<void> {
    const agents = [...this.#agents.values()]
    this.#agents.clear()
    await Promise.all(agents.map((agent) => agent.destroy()))
  }

  #agent(caBundle = ''): Agent {
    const known = this.#agents.get(caBundle)
    if (known) return known
    const agent = new Agent({
      connections: CONNECTIONS,
      allowH2: false,
      maxResponseSize: LARGEST_ANSWER,
      connect: { ...(caBundle === '' ? {} : { ca: caBundle }), maxCachedSessions: 0 },
    })
    this.#agents.set(caBundle, agent)
    return agent
  }
}

const failure = (name: string, why: string) =>
  new WebhookFailure(`failed calling webhook "${name}": failed to call webhook: ${why}`)

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.name === 'TimeoutError' ? 'context deadline exceeded' : error.message
}
