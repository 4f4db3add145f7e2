import { setTimeout as pause } from 'node:timers/promises'
import { createParser } from 'eventsource-parser'
import { Refusal } from '../../process/errors.ts'
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

interface TransportRequest extends Pick<HttpCall, 'method'> {
  /** Below `/api/v1`, with its query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
  readonly signal?: AbortSignal | undefined
}

interface Head {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
}

/** HTTP to the API of one Dormouse, which adds the token. Times are milliseconds: for the whole answer; without a byte. */
export interface Transport {
  send(request: TransportRequest, timeout: number): Promise<Head & { readonly text: string }>
  open(
    request: TransportRequest,
    silence: number,
  ): Promise<Head & { readonly body: AsyncIterable<Buffer>; text(this: void): Promise<string> }>
  close(): Promise<void>
}

/** Calls of one Dormouse's API. */
export class HttpCalls {
  readonly #base: string
  readonly #transport: Transport
  readonly #signal: AbortSignal

  /** `base`: its address, for messages. `signal` ends each GET, and the wait until a call may be made again. */
  constructor(base: string, transport: Transport, signal: AbortSignal) {
    this.#base = base
    this.#transport = transport
    this.#signal = signal
  }

  /** @throws Refusal of the API, UNAUTHENTICATED and CLUSTER_UNAVAILABLE with advice */
  async send<Data>(call: HttpCall): Promise<Success<Data>> {
    for (let attempt = 1; ; attempt++) {
      const { status, headers, text } = await this.#sent(call)
      const body = parsed(text)
      if (status >= 200 && status < 300 && body !== undefined) return body as Success<Data>
      const wait = Number(headers['retry-after'] ?? 1)
      if (status !== 429 || attempt > RETRIES || wait > LONGEST_WAIT_S)
        throw refusal(this.#base, status, body)
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
    const request = {
      ...requestOf({ ...call, method: 'GET' }, 'text/event-stream, application/json'),
      signal,
    }
    try {
      const { status, headers, body, text } = await this.#transport.open(request, SILENCE)
      if (String(headers['content-type']).startsWith('text/event-stream')) return this.#events(body)
      throw refusal(this.#base, status, parsed(await text()))
    } catch (error) {
      throw error instanceof Refusal ? error : unreachable(this.#base, error)
    }
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
      return await this.#transport.send({ ...requestOf(call), signal }, PATIENCE)
    } catch (error) {
      signal?.throwIfAborted()
      throw unreachable(this.#base, error)
    }
  }

  async close(): Promise<void> {
    await this.#transport.close()
  }
}

function requestOf(
  { method, path, query = {}, body }: HttpCall,
  accept = 'application/json',
): TransportRequest {
  const given = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) given.set(name, String(value))
  const headers: Record<string, string> = { accept, 'user-agent': 'kubectl-dormouse' }
  if (body !== undefined) headers['content-type'] = 'application/json'
  return {
    method,
    path: given.size === 0 ? path : `${path}?${given.toString()}`,
    headers,
    body: body === undefined ? undefined : JSON.stringify(body),
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
