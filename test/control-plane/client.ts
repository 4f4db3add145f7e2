import { Agent, request } from 'undici'
import type { Cluster } from './kubeconfig.ts'

export interface Answer {
  readonly status: number
  readonly body: KubernetesObject
}

/** As much of a Kubernetes object as the tests look at. */
export interface KubernetesObject {
  readonly [field: string]: unknown
  readonly message?: string
  readonly items?: readonly KubernetesObject[]
  readonly metadata?: { readonly name?: string; readonly [field: string]: unknown }
  readonly spec?: { readonly [field: string]: unknown }
  readonly status?: { readonly [field: string]: unknown }
}

export type Verb = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** Plain requests to the API server, for tests: nothing of Dormouse's own adapter is in the way. */
export interface Client {
  /** Answers whatever the server says, errors too; throws only when the server cannot be reached. */
  send(verb: Verb, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
  /** Like `send`, but throws, naming the request and the server's message, unless the status is 2xx. */
  expect(
    verb: Verb,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<KubernetesObject>
  close(): Promise<void>
}

export function clientFor(cluster: Cluster, token: string): Client {
  const dispatcher = new Agent({ connect: { ca: cluster.caData }, connections: 10 })
  const send: Client['send'] = async (method, path, body, headers = {}) => {
    const answer = await request(`${cluster.url}${path}`, {
      method,
      dispatcher,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await answer.body.text()
    return { status: answer.statusCode, body: parsed(text) }
  }
  return {
    send,
    async expect(verb, path, body, headers) {
      const answer = await send(verb, path, body, headers)
      if (answer.status < 200 || answer.status > 299) {
        throw new Error(`${verb} ${path} answered ${answer.status}: ${answer.body.message}`)
      }
      return answer.body
    },
    close: () => dispatcher.destroy(),
  }
}

function parsed(text: string): KubernetesObject {
  try {
    return JSON.parse(text) as KubernetesObject
  } catch {
    return { message: text }
  }
}
