import { createParser } from 'eventsource-parser'

/** An event of a stream of server-sent events (HTML, section 9.2). */
export interface StreamEvent {
  readonly event: string
  readonly data: string
}

export async function* eventsOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<StreamEvent> {
  const events: StreamEvent[] = []
  const parser = createParser({
    onEvent: ({ event = 'message', data }) => void events.push({ event, data }),
  })
  const decoder = new TextDecoder()
  for await (const chunk of body) {
    parser.feed(decoder.decode(chunk, { stream: true }))
    yield* events.splice(0)
  }
}
