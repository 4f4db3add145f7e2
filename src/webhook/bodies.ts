import type { IncomingMessage } from 'node:http'
import { SMALL_BODY } from './size.ts'

/** Bytes: an object has at most 1.5 MiB in etcd, and a review holds two of them. */
const LONGEST_BODY = 8 * 1024 * 1024
/** Bytes of memory of all bodies in flight together; an ordinary review has some 10 KiB. */
const MOST_HELD = 20 * 1024 * 1024
const FIRST_SIZE = 8 * 1024
/** Chunks of large bodies that are taken in one turn of the event loop; one has 64 KiB, which TLS takes a moment for. */
const CHUNKS_A_TURN = 4

/** What one request holds of the bytes in flight. */
export class Body {
  /** Doubled as it fills. Its memory is given back at once, by `transfer`, instead of when it is collected. */
  buffer = new ArrayBuffer(0)
  length = 0
  /** Bytes that it will have: as announced (the API server does), or the most there can be. */
  expected = LONGEST_BODY
  readonly onCrowdedOut: () => void

  /** `onCrowdedOut` is called once, as soon as it has to make room for others. */
  constructor(onCrowdedOut: () => void) {
    this.onCrowdedOut = onCrowdedOut
  }

  /** Makes room for as many bytes more, and puts them there; how many bytes of memory that took. */
  add(chunk: Uint8Array): number {
    const before = this.buffer.byteLength
    let size = Math.max(before, FIRST_SIZE)
    while (size < this.length + chunk.length) size *= 2
    if (size > before) this.buffer = this.buffer.transfer(size)
    new Uint8Array(this.buffer).set(chunk, this.length)
    this.length += chunk.length
    return size - before
  }
}

/**
 * The memory that bodies share. Beyond 20 MiB the largest that arrives, or waits to be judged, makes room: whoever
 * floods the port with large bodies loses those, and ordinary reviews get through.
 */
export class Bodies {
  readonly #arriving = new Set<Body>()
  /** What each body takes, until it is released: by then its memory may be another thread's. */
  readonly #sizes = new Map<Body, number>()
  /** Large bodies that wait to take their next chunk: meanwhile what is sent waits at the sender. */
  readonly #turns: (() => void)[] = []
  #held = 0

  /**
   * The bytes of a request's body, which count until it is released. undefined: larger than 8 MiB, or
   * crowded out; the rest of it is read and dropped, so that the answer arrives. Throws when it breaks off.
   */
  async read(request: IncomingMessage, body: Body): Promise<Uint8Array<ArrayBuffer> | undefined> {
    let length = 0
    const announced = request.headers['content-length']
    if (announced !== undefined) body.expected = Number(announced)
    this.#arriving.add(body)
    for await (const chunk of request as AsyncIterable<Buffer>) {
      length += chunk.length
      if (length > LONGEST_BODY) this.release(body)
      else if (this.#arriving.has(body)) this.#keep(body, chunk)
      if (length > 2 * LONGEST_BODY) break
      if (length > SMALL_BODY) await this.#turn()
    }
    if (!this.#arriving.delete(body)) return undefined
    body.expected = body.length
    return new Uint8Array(body.buffer, 0, body.length)
  }

  /** Gives back what it holds; once more does nothing. */
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
    // `body` arrives itself, so there is one. What is being judged has its memory in another thread.
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
