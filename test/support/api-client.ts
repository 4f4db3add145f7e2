import { Agent, request } from 'undici'
import type { StatusRecord, TransitionRecord } from '../../src/domain/records/record.ts'
import type { Kind } from '../../src/domain/workload/workload.ts'
import type { ErrorCode } from '../../src/process/errors.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE' | 'PATCH'

/** An answer of the API, success or error. */
export interface ApiAnswer<Data = StatusRecord> {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
  readonly body: {
    readonly success: boolean
    readonly message: string
    readonly data: Data
    readonly continue?: string | null
    readonly error: {
      readonly code: ErrorCode
      readonly message: string
      readonly details: {
        readonly faults?: readonly { in?: string; pointer: string; message: string }[]
        readonly [name: string]: unknown
      }
    }
    readonly timestamp: string
  }
}

export interface CallOptions {
  /** Sent as JSON. */
  readonly body?: unknown
  /** Sent as it is. */
  readonly raw?: string | Buffer
  readonly headers?: Readonly<Record<string, string>>
  /** Replaces the client's token; null: none is sent. */
  readonly token?: string | null
}

/** A client of the v1 API. */
export class ApiClient {
  readonly url: string
  readonly #token: string
  readonly #agent: Agent

  /** `ca`: in PEM, the only one that it trusts. */
  constructor(url: string, token: string, ca?: string) {
    this.url = url
    this.#token = token
    this.#agent = new Agent({ connections: 128, ...(ca === undefined ? {} : { connect: { ca } }) })
  }

  /** `path` with its query; `/api/v1` is prepended unless it is there. */
  async call<Data = StatusRecord>(
    method: Method,
    path: string,
    { body, raw, headers = {}, token = this.#token }: CallOptions = {},
  ): Promise<ApiAnswer<Data>> {
    const payload = raw ?? (body === undefined ? undefined : JSON.stringify(body))
    const answer = await request(`${this.url}${path.startsWith('/api') ? '' : '/api/v1'}${path}`, {
      method,
      dispatcher: this.#agent,
      headers: {
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...(payload === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(payload === undefined ? {} : { body: payload }),
    })
    const text = await answer.body.text()
    return { status: answer.statusCode, headers: answer.headers, text, body: parsed(text) }
  }

  workload(kind: Kind, namespace: string, name: string): WorkloadClient {
    return new WorkloadClient(this, `/namespaces/${namespace}/${kind}/${name}`)
  }

  close(): Promise<void> {
    return this.#agent.destroy()
  }
}

/** One workload's operations; all but `attempt` throw if the API refuses. */
export class WorkloadClient {
  readonly path: string
  readonly #api: ApiClient

  constructor(api: ApiClient, path: string) {
    this.#api = api
    this.path = path
  }

  status = () => this.#ok('GET', '')
  plan = (query = '') => this.#ok<TransitionRecord[]>('GET', `/plan${query}`)
  enable = (body?: object, query = '') => this.#ok('POST', `/enable${query}`, body)
  disable = (query = '') => this.#ok('POST', `/disable${query}`)
  snooze = (query = '') => this.#ok('POST', `/snooze${query}`)
  wake = (query = '') => this.#ok('POST', `/wake${query}`)
  schedule = (body?: object, query = '') => this.#ok('PUT', `/schedule${query}`, body)
  pin = () => this.#ok('POST', '/pin')
  unpin = () => this.#ok('DELETE', '/pin')
  override = (duration?: string) =>
    this.#ok('POST', '/override', duration === undefined ? undefined : { duration })
  clearOverride = () => this.#ok('DELETE', '/override')

  /** Returns the whole answer, also of a refusal. */
  attempt(method: Method, action: string, options?: CallOptions): Promise<ApiAnswer> {
    return this.#api.call(method, `${this.path}${action === '' ? '' : '/'}${action}`, options)
  }

  async #ok<Data = StatusRecord>(method: Method, action: string, body?: object): Promise<Data> {
    const answer = await this.#api.call<Data>(method, `${this.path}${action}`, body ? { body } : {})
    if (answer.status === 200) return answer.body.data
    throw new Error(`${method} ${this.path}${action} answered ${answer.status}: ${answer.text}`)
  }
}

function parsed(text: string) {
  try {
    return JSON.parse(text)
  } catch {
    return { message: text }
  }
}
