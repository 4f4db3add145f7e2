import { createParser, type EventSourceParser } from 'eventsource-parser'
import { Agent, request } from 'undici'
import { eventually } from './eventually.ts'

/** A server-sent event as its reader gets it. */
export interface StreamEvent {
  readonly event: string
  readonly id: string | undefined
  readonly data: Record<string, unknown>
}

/** Reads server-sent events (HTML, section 9.2), as a browser would. */
export class EventStream {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly events: StreamEvent[] = []
  readonly comments: string[] = []
  /** The body of a refusal. */
  text = ''
  ended = false
  readonly #parser: EventSourceParser = createParser({
    onComment: (comment) => this.comments.push(comment),
    onEvent: ({ event = 'message', id, data }) =>
      this.events.push({ event, id, data: JSON.parse(data) as StreamEvent['data'] }),
  })
  readonly #agent: Agent
  readonly #gone: AbortController

  private constructor(
    status: number,
    headers: EventStream['headers'],
    { agent, gone }: { agent: Agent; gone: AbortController },
  ) {
    this.status = status
    this.headers = headers
    this.#agent = agent
    this.#gone = gone
  }

  static async open(url: string, token: string, headers: Record<string, string> = {}): Promise<EventStream> {
    const agent = new Agent({ bodyTimeout: 0 })
    const gone = new AbortController()
    const {
      statusCode,
      headers: answered,
      body,
    } = await request(url, {
      dispatcher: agent,
      signal: gone.signal,
      headers: { authorization: `Bearer ${token}`, ...headers },
    })
    const stream = new EventStream(statusCode, answered, { agent, gone })
    if (statusCode === 200) void stream.#read(body)
    else {
      stream.text = await body.text()
      await stream.close()
    }
    return stream
  }

  async #read(body: AsyncIterable<Buffer>): Promise<void> {
    const decoder = new TextDecoder()
    try {
      for await (const chunk of body) this.#parser.feed(decoder.decode(chunk, { stream: true }))
    } catch {
      // it was closed, by us or by them
    }
    this.ended = true
  }

  /** As `added shop/web`, in order. */
  get told(): string[] {
    return this.events.map(({ event, data }) =>
      event === 'listed' || event === 'end'
        ? event
        : `${event} ${String(data['namespace'])}/${String(data['name'])}`,
    )
  }

  /** Resolves with the first such event behind the first `after` ones. */
  until(event: string, matches: (data: StreamEvent['data']) => boolean = () => true, after = 0) {
    return eventually(`the event ${event} (told so far: ${this.told.join(', ')})`, () =>
      this.events.slice(after).find((each) => each.event === event && matches(each.data)),
    )
  }

  async close(): Promise<void> {
    this.#gone.abort()
    await this.#agent.destroy()
  }
}
