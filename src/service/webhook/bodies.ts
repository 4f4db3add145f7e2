import type { IncomingMessage } from 'node:http'
import { SMALL_BODY } from './limits.ts'
import { LONGEST_HEAD, readHead, type ReviewRequest } from './review.ts'
import { sizeText } from './routes.ts'
import { Unread } from './unread.ts'

/** Bytes that may still arrive of a body that is too large: a review of two objects that are nothing but `<`. */
const LONGEST_READ = 32 * 1024 * 1024
/** Bytes of memory for all bodies together; an ordinary review has some 10 KiB. */
const MOST_HELD = 20 * 1024 * 1024
const FIRST_SIZE = 8 * 1024
/** Chunks of large bodies for one turn of the event loop: a chunk has up to 64 KiB, and TLS takes time to decrypt it. */
const CHUNKS_A_TURN = 4

/** The body of one request, as far as it has arrived. */
export class Body {
  /** Bytes that are kept at most. */
  readonly limit: number
  /** Doubled as it fills. `transfer` frees its memory at once, not when it is collected. */
  buffer = new ArrayBuffer(0)
  length = 0
  /** Bytes when it is complete: its Content-Length (API servers send one), or else the limit. */
  expected: number
  readonly #drop: (cause: Unread) => void
  #head: ReviewRequest | undefined

  /** `onDropped` is called once, where it is not kept: it is too large, or has to make room for others. */
  constructor(limit: number, onDropped: (cause: Unread) => void) {
    this.limit = limit
    this.expected = limit
    this.#drop = onDropped
  }

  /** Appends a chunk; returns how many bytes of memory that took. */
  add(chunk: Uint8Array): number {
    const before = this.buffer.byteLength
    const needed = this.length + chunk.length
    let size = Math.max(before, FIRST_SIZE)
    while (size < needed) size *= 2
    if (needed <= this.expected) size = Math.min(size, this.expected)
    if (size > before) this.buffer = this.buffer.transfer(size)
    new Uint8Array(this.buffer).set(chunk, this.length)
    this.length += chunk.length
    return size - before
  }

  get bytes(): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.buffer, 0, this.length)
  }

  /** What the review is about, by its first 64 KiB; undefined: they do not say. */
  get head(): ReviewRequest | undefined {
    return this.buffer.detached ? this.#head : readHead(this.bytes)
  }

  /** Remembers the head alone. */
  drop(cause: Unread): void {
    this.#head = this.head
    this.#drop(cause)
  }
}

/**
 * The memory that bodies share. Beyond 20 MiB the largest body that arrives, or waits for its decision, is dropped: a
 * flood of large bodies loses those, and ordinary reviews get through.
 */
export class Bodies {
  /** Bytes of memory of each body until it is released. */
  readonly #sizes = new Map<Body, number>()
  /** Large bodies that wait to take their next chunk: until then their senders wait, too. */
  readonly #turns: (() => void)[] = []
  #held = 0

  /** Resolves once the body is kept whole. @throws Unread when it is too large, and when the connection breaks */
  read(request: IncomingMessage, body: Body): Promise<void> {
    const announced = Number(request.headers['content-length'] ?? body.limit)
    // Of one that is too large anyway, only what says which review it is.
    const most = announced > body.limit ? LONGEST_HEAD : body.limit
    body.expected = Math.min(announced, most)
    let length = 0
    return new Promise((resolve, reject) => {
      request.on('data', (chunk: Buffer) => {
        length += chunk.length
        const room = body.buffer.detached ? 0 : most - body.length
        if (room > 0) this.#keep(body, chunk.subarray(0, room))
        if (length > LONGEST_READ) reject(tooLarge(body))
        if (length > SMALL_BODY) this.#pause(request)
      })
      request.on('end', () => (length > body.limit ? reject(tooLarge(body)) : resolve()))
      request.on('close', () => reject(new Error('the connection broke')))
    })
  }

  /** Frees the memory of a body; a second call does nothing. */
  release(body: Body): void {
    this.#held -= this.#sizes.get(body) ?? 0
    this.#sizes.delete(body)
    if (!body.buffer.detached) body.buffer.transfer(0)
  }

  #keep(body: Body, chunk: Buffer): void {
    const more = body.add(chunk)
    if (more === 0) return
    this.#sizes.set(body, body.buffer.byteLength)
    this.#held += more
    if (this.#held <= MOST_HELD) return
    let largest = body
    for (const each of this.#sizes.keys()) if (each.expected > largest.expected) largest = each
    largest.drop(new Unread('too_many', 'reviews of more than 20 MiB are under way. Try again'))
    this.release(largest)
  }

  #pause(request: IncomingMessage): void {
    request.pause()
    this.#turns.push(() => request.resume())
    if (this.#turns.length === 1) setImmediate(() => this.#next())
  }

  #next(): void {
    for (const resume of this.#turns.splice(0, CHUNKS_A_TURN)) resume()
    if (this.#turns.length > 0) setImmediate(() => this.#next())
  }
}

function tooLarge({ limit }: Body): Unread {
  return new Unread(
    'too_large',
    `the review is larger than ${sizeText(limit)}. Make the object smaller, or use the API`,
  )
}
