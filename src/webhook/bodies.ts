import type { IncomingMessage } from 'node:http'

/** Bytes: an object has at most 1.5 MiB in etcd, and a review holds two of them. */
const LONGEST_BODY = 8 * 1024 * 1024
/** Bytes of all bodies in flight together; an ordinary review has some 10 KiB. */
const MOST_HELD = 64 * 1024 * 1024
/** Bytes of memory that a chunk takes beside its content (measured): a body may come in chunks of one byte. */
const COST_OF_CHUNK = 512

/** What one request holds of the bytes in flight. */
export class Body {
  chunks: Buffer[] = []
  held = 0
  readonly onCrowdedOut: () => void

  /** `onCrowdedOut` is called once, as soon as it has to make room for others. */
  constructor(onCrowdedOut: () => void) {
    this.onCrowdedOut = onCrowdedOut
  }
}

/**
 * The memory that bodies share. Beyond 64 MiB the largest that still arrives makes room: whoever floods the
 * port with unfinished bodies loses those, and ordinary reviews get through.
 */
export class Bodies {
  readonly #arriving = new Set<Body>()
  #held = 0

  /**
   * The text of a request's body, which counts until it is released. undefined: larger than 8 MiB, or
   * crowded out; the rest of it is read and dropped, so that the answer arrives. Throws when it breaks off.
   */
  async read(request: IncomingMessage, body: Body): Promise<string | undefined> {
    let length = 0
    this.#arriving.add(body)
    for await (const chunk of request as AsyncIterable<Buffer>) {
      length += chunk.length
      if (length > LONGEST_BODY) this.release(body)
      else if (this.#arriving.has(body)) this.#keep(body, chunk)
      if (length > 2 * LONGEST_BODY) break
    }
    if (!this.#arriving.delete(body)) return undefined
    const chunks = body.chunks
    body.chunks = []
    return Buffer.concat(chunks).toString('utf8')
  }

  /** Gives back what it holds; once more does nothing. */
  release(body: Body): void {
    this.#arriving.delete(body)
    this.#held -= body.held
    body.held = 0
    body.chunks = []
  }

  #keep(body: Body, chunk: Buffer): void {
    const cost = chunk.length + COST_OF_CHUNK
    body.chunks.push(chunk)
    body.held += cost
    this.#held += cost
    if (this.#held <= MOST_HELD) return
    // `body` arrives itself, so there is one, and it is large enough.
    let largest = body
    for (const each of this.#arriving) if (each.held > largest.held) largest = each
    this.release(largest)
    largest.onCrowdedOut()
  }
}
