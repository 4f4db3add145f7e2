import { createParser } from 'eventsource-parser'

/** Of a stream of server-sent events (HTML, section 9.2): an event, or the id that a client goes on from. */
export type StreamItem = { readonly event: string; readonly data: string } | { readonly id: string }

export async function* itemsOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<StreamItem> {
  const items: StreamItem[] = []
  let id: string | undefined
  const parser = createParser({
    onEvent: ({ event = 'message', data }) => void items.push({ event, data }),
    onId: (newest) => (id = newest),
  })
  const decoder = new TextDecoder()
  for await (const chunk of body) {
    parser.feed(decoder.decode(chunk, { stream: true }))
    yield* items.splice(0)
    // After the events that came with it: whoever is cut off before has not seen them.
    if (id !== undefined) yield { id }
    id = undefined
  }
}
