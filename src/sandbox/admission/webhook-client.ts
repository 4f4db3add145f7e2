import { Agent, request } from 'undici'
import type { Webhook } from '../store/webhook-configuration.ts'

const CONNECTIONS = 32
const LARGEST_ANSWER = 16 * 1024 * 1024

/** A webhook could not be called, or its answer is not valid; the message is the real server's. */
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
      if (statusCode !== 200) throw failure(name, refused(statusCode, answer))
      return parsed(name, answer)
    } catch (error) {
      if (error instanceof WebhookFailure) throw error
      throw failure(name, `Post "${target}": ${reasonOf(error, new URL(url))}`)
    }
  }

  /** Closes the pools of CA bundles that none of these webhooks has, once they are idle. */
  async closeUnused(webhooks: Webhook[]): Promise<void> {
    const used = new Set(webhooks.map(({ caBundle = '' }) => caBundle))
    const unused = [...this.#agents].filter(([caBundle]) => !used.has(caBundle))
    for (const [caBundle] of unused) this.#agents.delete(caBundle)
    await Promise.all(unused.map(([, agent]) => agent.close()))
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

function parsed(name: string, answer: string): unknown {
  try {
    return JSON.parse(answer)
  } catch {
    const start = JSON.stringify(answer.slice(0, 80))
    throw failure(name, `couldn't get version/kind; json parse error: ${start}`)
  }
}

/** client-go's texts for answers other than success. */
function refused(statusCode: number, answer: string): string {
  if (statusCode === 404) return 'the server could not find the requested resource'
  if (statusCode === 400) return 'the server rejected our request for an unknown reason'
  if (statusCode === 503) return 'the server is currently unable to handle the request'
  if (statusCode >= 500)
    return `an error on the server (${JSON.stringify(answer.slice(0, 512))}) has prevented the request from succeeding`
  return `the server responded with the status code ${statusCode} but did not return more information`
}

const UNKNOWN_AUTHORITY = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'CERT_SIGNATURE_FAILURE',
])
const EXPIRED = new Set(['CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID'])
const X509 = 'tls: failed to verify certificate: x509:'

function reasonOf(error: unknown, { hostname, port }: URL): string {
  if (!(error instanceof Error)) return String(error)
  if (error.name === 'TimeoutError') return 'context deadline exceeded'
  const code = 'code' in error ? String(error.code) : ''
  if (UNKNOWN_AUTHORITY.has(code)) return `${X509} certificate signed by unknown authority`
  if (EXPIRED.has(code)) return `${X509} certificate has expired or is not yet valid`
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return `${X509} certificate is not valid for ${hostname}`
  if (code === 'ECONNREFUSED') return `dial tcp ${hostname}:${port || 443}: connect: connection refused`
  if (code === 'ENOTFOUND') return `dial tcp: lookup ${hostname}: no such host`
  if (code === 'ECONNRESET' || code === 'UND_ERR_SOCKET') return 'EOF'
  return error.message
}
