import { Agent, request } from 'undici'

export interface Answer {
  readonly status: number
  readonly body: KubernetesObject
}

/** The parts of a Kubernetes object that the tests read. */
export interface KubernetesObject {
  readonly [field: string]: unknown
  readonly message?: string
  readonly items?: readonly KubernetesObject[]
  readonly metadata?: { readonly name?: string; readonly [field: string]: unknown }
  readonly spec?: { readonly [field: string]: unknown }
  readonly status?: { readonly [field: string]: unknown }
}

export type Verb = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** Plain requests to an API server, without Dormouse's own adapter. PATCH sends a merge patch, or an array as JSON Patch. */
export interface Client {
  /** Returns any answer, errors too; throws only if the server cannot be reached. */
  send(verb: Verb, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
  /** Like `send`, but throws, naming the request and the server's message, unless the status is 2xx. */
  expect(
    verb: Verb,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<KubernetesObject>
  /** The lines of an answer that goes on, such as a watch's; ends with it, or throws the signal's reason. */
  lines(path: string, signal: AbortSignal): AsyncIterable<string>
  close(): Promise<void>
}

/** `caData`: PEM; without it and without a token, plain HTTP to the sandbox. */
export function clientFor({ url, caData }: { url: string; caData?: string }, token?: string): Client {
  const tls = caData === undefined ? {} : { connect: { ca: caData } }
  const dispatcher = new Agent({ connections: 10, ...tls })
  // Each holds its connection as long as it is open.
  const watches = new Agent(tls)
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const send: Client['send'] = async (method, path, body, headers = {}) => {
    const type = method === 'PATCH' ? patchType(body) : 'application/json'
    const answer = await request(`${url}${path}`, {
      method,
      dispatcher,
      headers: { ...authorization, 'content-type': type, ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return { status: answer.statusCode, body: parsed(await answer.body.text()) }
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
    async *lines(path, signal) {
      const answer = await request(`${url}${path}`, {
        dispatcher: watches,
        headers: authorization,
        signal,
        bodyTimeout: 0,
      })
      if (answer.statusCode !== 200) throw new Error(`GET ${path} answered ${answer.statusCode}`)
      let pending = ''
      for await (const chunk of answer.body.setEncoding('utf8')) {
        const parts = (pending + String(chunk)).split('\n')
        pending = parts.pop() ?? ''
        yield* parts
      }
    },
    async close() {
      await Promise.all([dispatcher.destroy(), watches.destroy()])
    },
  }
}

function patchType(body: unknown): string {
  return Array.isArray(body) ? 'application/json-patch+json' : 'application/merge-patch+json'
}

function parsed(text: string): KubernetesObject {
  try {
    return JSON.parse(text) as KubernetesObject
  } catch {
    return { message: text }
  }
}
