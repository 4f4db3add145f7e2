import type { IncomingMessage } from 'node:http'
import { UNNAMED, type Party } from './parties.ts'
import { LONGEST_HEAD, readHead, Unread } from './review.ts'
import { sizeText, SMALL_BODY } from './routes.ts'

/** Bytes of memory for all bodies together; an ordinary review has some 10 KiB. */
const MOST_HELD = 20 * 1024 * 1024
const FIRST_SIZE = 8 * 1024
/** Chunks of large bodies for one turn of the event loop: a chunk has up to 64 KiB, and TLS takes time to decrypt it. */
const CHUNKS_A_TURN = 4

/** The body of one request, as far as it is kept. */
export class Body {
  readonly limit: number
  /**
   * Bytes of the whole body: its Content-Length (API servers send one), or else the limit. Of a body that is too large
   * only the beginning, which identifies the review.
   */
  readonly expected: number
  /** Ends the review: its body is too large, or has to make room for others. */
  readonly giveUp: (cause: Unread) => void
  /** Doubled as it fills: chunks may be of one byte. `transfer` frees its memory at once, not when it is collected. */
  #buffer = new ArrayBuffer(0)
  #length = 0
  /** Bytes, also of what is not kept. */
  arrived = 0
  #party: Party | undefined

  constructor({ headers }: IncomingMessage, limit: number, giveUp: (cause: Unread) => void) {
    const announced = Number(headers['content-length'] ?? limit)
    this.limit = limit
    this.expected = announced > limit ? LONGEST_HEAD : announced
    this.giveUp = giveUp
  }

  /** Bytes of memory. */
  get size(): number {
    return this.#buffer.byteLength
  }

  get isWhole(): boolean {
    return this.#length === this.arrived
  }

  /** The bytes so far. */
  get bytes(): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.#buffer, 0, this.#length)
  }

  /** The origin of the review, once all of its beginning has arrived. */
  get party(): Party {
    if (this.#length < LONGEST_HEAD) return this.#party ?? UNNAMED
    if (this.#party) return this.#party
    const head = readHead(this.bytes)
    this.#party = head ? { namespace: head.namespace, user: head.userInfo.username } : UNNAMED
    return this.#party
  }

  /** Appends a chunk, as much of it as is kept; nothing once the memory is freed. */
  add(chunk: Uint8Array): void {
    this.arrived += chunk.length
    const part = chunk.subarray(0, this.expected - this.#length)
    if (part.length === 0 || this.#buffer.detached) return
    const needed = this.#length + part.length
    if (needed > this.size)
      this.#buffer = this.#buffer.transfer(
        Math.min(Math.max(needed, 2 * this.size, FIRST_SIZE), this.expected),
      )
    new Uint8Array(this.#buffer).set(part, this.#length)
    this.#length = needed
  }

  free(): void {
    if (!this.#buffer.detached) this.#buffer.transfer(0)
    this.#length = 0
  }
}

/**
 * The memory that bodies share. Beyond 20 MiB the largest body of the namespace that has most of it is given up, be it
 * arriving or waiting for its decision: a flood of large bodies loses those, and the reviews of others get through.
 */
export class Bodies {
  readonly #kept = new Set<Body>()
  /** Large bodies that wait to take their next chunk: until then their senders wait, too. */
  readonly #paused: IncomingMessage[] = []
  #held = 0

  /** Resolves once the body is kept whole. @throws Unread when it is too large, and when the connection breaks */
  read(request: IncomingMessage, body: Body): Promise<void> {
    this.#kept.add(body)
    return new Promise((resolve, reject) => {
      request.on('data', (chunk: Buffer) => {
        this.#keep(body, chunk)
        if (body.arrived > SMALL_BODY) this.#pause(request)
      })
      request.on('end', () => (body.isWhole ? resolve() : reject(tooLarge(body))))
      request.on('close', () => reject(new Error('the connection broke')))
    })
  }

  /** Frees the memory of a body; a second call does nothing. */
  release(body: Body): void {
    this.#forget(body)
    body.free()
  }

  #keep(body: Body, chunk: Buffer): void {
    const before = body.size
    body.add(chunk)
    if (!this.#kept.has(body)) return
    this.#held += body.size - before
    if (this.#held <= MOST_HELD) return
    const largest = this.#largest() ?? body
    this.#forget(largest)
    largest.giveUp(new Unread('too_many', 'reviews of more than 20 MiB are under way. Try again'))
  }

  #largest(): Body | undefined {
    const byNamespace = Map.groupBy(this.#kept, ({ party }) => party.namespace)
    const shares = [...byNamespace.values()].map((bodies) => ({
      bodies,
      size: bodies.reduce((sum, { size }) => sum + size, 0),
    }))
    const [most] = shares.toSorted((a, b) => b.size - a.size)
    return most?.bodies.toSorted((a, b) => b.expected - a.expected)[0]
  }

  #pause(request: IncomingMessage): void {
    request.pause()
    this.#paused.push(request)
    if (this.#paused.length === 1) setImmediate(() => this.#resume())
  }

  #resume(): void {
    for (const request of this.#paused.splice(0, CHUNKS_A_TURN)) request.resume()
    if (this.#paused.length > 0) setImmediate(() => this.#resume())
  }

  #forget(body: Body): void {
    if (this.#kept.delete(body)) this.#held -= body.size
  }
}

function tooLarge({ limit }: Body): Unread {
  return new Unread(
    'too_large',
    `the review is larger than ${sizeText(limit)}. Make the object smaller, or use the API`,
  )
}
