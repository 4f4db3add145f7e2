import { setTimeout as pause } from 'node:timers/promises'
import { createParser } from 'eventsource-parser'
import { Agent, EnvHttpProxyAgent, request } from 'undici'
import { Refusal } from '../../process/errors.ts'
import type { Proxies } from '../proxies.ts'
import { refusal, unreachable } from './failures.ts'

/** A success of the API. */
export interface Success<Data> {
  readonly message: string
  readonly data: Data
  readonly continue?: string | null
}

export interface HttpCall {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Below `/api/v1`. */
  readonly path: string
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>
  readonly body?: object | undefined
}

/** An event of a stream of server-sent events (HTML, section 9.2). */
export interface StreamEvent {
  readonly event: string
  readonly data: string
}

/** Milliseconds. */
const PATIENCE = 60_000
/** A stream brings something at least each 10 s. */
const SILENCE = 30_000
/** How often a 429 is waited for, and how long at most each time. */
const RETRIES = 4
const LONGEST_WAIT_S = 10

/** How a server is reached. */
interface Way {
  /** Certificates in PEM. */
  readonly ca: string | undefined
  readonly proxies: Proxies | undefined
  /** Ends each GET, and the wait until a call may be made again. */
  readonly signal: AbortSignal
}

/** Calls of one Dormouse's API with one token; its `base` ends with `/api/v1`. */
export class HttpCalls {
  readonly #base: string
  readonly #token: string
  readonly #signal: AbortSignal
  readonly #agent: Agent | EnvHttpProxyAgent

  constructor(base: string, token: string, { ca, proxies, signal }: Way) {
    this.#signal = signal
    this.#base = base
    this.#token = token
    const connect = { timeout: 5000, ...(ca !== undefined && { ca }) }
    const options = { connections: 8, connect }
    this.#agent = proxies
      ? new EnvHttpProxyAgent({
          ...options,
          requestTls: connect,
          httpProxy: proxies.HTTP_PROXY ?? '',
          httpsProxy: proxies.HTTPS_PROXY ?? '',
          noProxy: proxies.NO_PROXY ?? '',
        })
      : new Agent(options)
  }

  /** @throws Refusal of the API, UNAUTHENTICATED and CLUSTER_UNAVAILABLE with advice */
  async send<Data>(call: HttpCall): Promise<Success<Data>> {
    for (let attempt = 1; ; attempt++) {
      const { statusCode, headers, text } = await this.#sent(call)
      const body = parsed(text)
      if (statusCode >= 200 && statusCode < 300 && body !== undefined) return body as Success<Data>
      const wait = Number(headers['retry-after'] ?? 1)
      if (statusCode !== 429 || attempt > RETRIES || wait > LONGEST_WAIT_S)
        throw refusal(this.#base, statusCode, body)
      // If it was refused, do not start to write.
      const signal = this.#signal
      await pause(wait * 1000, undefined, { signal }).catch(() => signal.throwIfAborted())
    }
  }

  /**
   * Opens a stream of events. It lasts until it breaks or the signal is aborted.
   * @throws Refusal as `send`
   */
  async stream(
    call: Omit<HttpCall, 'method' | 'body'>,
    signal: AbortSignal,
  ): Promise<AsyncGenerator<StreamEvent>> {
    const extra = { accept: 'text/event-stream, application/json' }
    const { statusCode, headers, body } = await this.#opened(
      { ...call, method: 'GET' },
      SILENCE,
      extra,
      signal,
    )
    if (String(headers['content-type']).startsWith('text/event-stream')) return this.#events(body)
    throw refusal(this.#base, statusCode, parsed(await body.text()))
  }

  async *#events(body: AsyncIterable<Buffer>): AsyncGenerator<StreamEvent> {
    const events: StreamEvent[] = []
    const parser = createParser({
      onEvent: ({ event = 'message', data }) => void events.push({ event, data }),
    })
    const decoder = new TextDecoder()
    try {
      for await (const chunk of body) {
        parser.feed(decoder.decode(chunk, { stream: true }))
        yield* events.splice(0)
      }
    } catch (error) {
      throw unreachable(this.#base, error)
    }
  }

  async #sent(call: HttpCall) {
    // A write finishes even if stopped.
    const signal = call.method === 'GET' ? this.#signal : undefined
    try {
      const answer = await this.#opened(call, PATIENCE, {}, signal)
      return { ...answer, text: await answer.body.text() }
    } catch (error) {
      signal?.throwIfAborted()
      throw error instanceof Refusal ? error : unreachable(this.#base, error)
    }
  }

  async #opened(
    { method, path, query = {}, body }: HttpCall,
    bodyTimeout: number,
    extra: Readonly<Record<string, string>> = {},
    signal?: AbortSignal,
  ) {
    const url = new URL(`${this.#base}${path}`)
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) url.searchParams.set(name, String(value))
    const headers: Record<string, string> = {
      accept: 'application/json',
      authorization: `Bearer ${this.#token}`,
      'user-agent': 'kubectl-dormouse',
      ...extra,
    }
    if (body !== undefined) headers['content-type'] = 'application/json'
    try {
      return await request(url, {
        method,
        headers,
        body: body === undefined ? null : JSON.stringify(body),
        dispatcher: this.#agent,
        headersTimeout: PATIENCE,
        bodyTimeout,
        ...(signal && { signal }),
      })
    } catch (error) {
      throw unreachable(this.#base, error)
    }
  }

  async close(): Promise<void> {
    await this.#agent.destroy()
  }
}

function parsed(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}
