import type { IncomingMessage } from 'node:http'
import { SMALL_BODY } from './limits.ts'

/** Bytes: an object has at most 1.5 MiB in etcd, and a review carries two. */
const LONGEST_BODY = 8 * 1024 * 1024
/** Bytes of memory for all bodies together; an ordinary review has some 10 KiB. */
const MOST_HELD = 20 * 1024 * 1024
const FIRST_SIZE = 8 * 1024
/** Chunks of large bodies for one turn of the event loop: a chunk has up to 64 KiB, and TLS takes time to decrypt it. */
const CHUNKS_A_TURN = 4

/** The body of one request, as far as it has arrived. */
export class Body {
  /** Doubled as it fills. `transfer` frees its memory at once, not when it is collected. */
  buffer = new ArrayBuffer(0)
  length = 0
  /** Bytes when it is complete: its Content-Length (API servers send one), or else the limit. */
  expected = LONGEST_BODY
  readonly onCrowdedOut: () => void

  /** `onCrowdedOut` is called once, when it has to make room for others. */
  constructor(onCrowdedOut: () => void) {
    this.onCrowdedOut = onCrowdedOut
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
}

/**
 * The memory that bodies share. Beyond 20 MiB the largest body that arrives, or waits for its decision, is dropped: a
 * flood of large bodies loses those, and ordinary reviews get through.
 */
export class Bodies {
  readonly #arriving = new Set<Body>()
  /** Bytes of memory of each body until it is released: a thread may have taken over its buffer by then. */
  readonly #sizes = new Map<Body, number>()
  /** Large bodies that wait to take their next chunk: until then their senders wait, too. */
  readonly #turns: (() => void)[] = []
  #held = 0

  /**
   * The bytes of a request's body, which count until it is released. undefined: it is larger than 8 MiB, or was
   * dropped; the rest of it is still read, so that the client reads our answer. Throws when the connection breaks.
   */
  async read(request: IncomingMessage, body: Body): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const announced = request.headers['content-length']
    if (announced !== undefined) body.expected = Number(announced)
    this.#arriving.add(body)
    if (body.expected <= SMALL_BODY) await this.#readSmall(request, body)
    else await this.#readLarge(request, body)
    if (!this.#arriving.delete(body)) return undefined
    body.expected = body.length
    return new Uint8Array(body.buffer, 0, body.length)
  }

  /** As it arrives: Node ends the request after the announced bytes. */
  #readSmall(request: IncomingMessage, body: Body): Promise<void> {
    return new Promise((resolve, reject) => {
      request.on('data', (chunk: Buffer) => {
        if (this.#arriving.has(body)) this.#keep(body, chunk)
      })
      request.on('end', resolve)
      request.on('close', () => reject(new Error('the connection broke')))
    })
  }

  async #readLarge(request: IncomingMessage, body: Body): Promise<void> {
    let length = 0
    for await (const chunk of request as AsyncIterable<Buffer>) {
      length += chunk.length
      if (length > LONGEST_BODY) this.release(body)
      else if (this.#arriving.has(body)) this.#keep(body, chunk)
      if (length > 2 * LONGEST_BODY) break
      if (length > SMALL_BODY) await this.#turn()
    }
  }

  /** Frees the memory of a body; a second call does nothing. */
  release(body: Body): void {
    this.#arriving.delete(body)
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
    // There is one, since `body` itself is arriving. A detached buffer is in the thread that prepares its review.
    let largest = body
    for (const each of this.#sizes.keys())
      if (each.expected > largest.expected && !each.buffer.detached) largest = each
    this.release(largest)
    largest.onCrowdedOut()
  }

  #turn(): Promise<void> {
    return new Promise((resolve) => {
      this.#turns.push(resolve)
      if (this.#turns.length === 1) setImmediate(() => this.#next())
    })
  }

  #next(): void {
    for (const resolve of this.#turns.splice(0, CHUNKS_A_TURN)) resolve()
    if (this.#turns.length > 0) setImmediate(() => this.#next())
  }
}
