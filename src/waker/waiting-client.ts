import type { Socket } from 'node:net'

/** Bytes after which no more are read. One read may bring 64 KiB, so some 80 KiB are held at most; the rest waits in TCP. */
const MOST_HELD = 16 * 1024

/** A client whose connection waits for a pod: its bytes so far, and whether it is still there. */
export class WaitingClient {
  readonly socket: Socket
  readonly #left = new AbortController()
  readonly #chunks: Buffer[] = []
  #bytes = 0
  #ended = false
  #told: () => void = () => {}
  #whenEnded: () => void = () => {}

  constructor(socket: Socket) {
    this.socket = socket
    socket.on('data', this.#take)
    socket.once('end', this.#end)
    socket.once('close', this.#leave)
  }

  /** Aborted when the connection is closed. */
  get left(): AbortSignal {
    return this.#left.signal
  }

  get bytes(): Buffer {
    return Buffer.concat(this.#chunks)
  }

  /** Whether it sends nothing more. */
  get hasEnded(): boolean {
    return this.#ended
  }

  /** Whether no more is read before somebody takes what is here. */
  get isFull(): boolean {
    return this.#bytes >= MOST_HELD
  }

  /** Resolves when it sends more, ends its half or leaves. */
  more(): Promise<void> {
    return new Promise((resolve) => (this.#told = resolve))
  }

  /** Calls back when it ends its half before it is released, unless it has already. */
  onEnd(callback: () => void): void {
    this.#whenEnded = callback
  }

  /** Closes the connection. */
  leave(): void {
    this.socket.destroy()
  }

  /** Hands the paused connection over, and all that it has sent. */
  release(): Buffer {
    this.socket.pause()
    this.socket.off('data', this.#take).off('end', this.#end).off('close', this.#leave)
    return this.bytes
  }

  readonly #take = (chunk: Buffer) => {
    this.#chunks.push(chunk)
    this.#bytes += chunk.length
    if (this.isFull) this.socket.pause()
    this.#told()
  }

  readonly #end = () => {
    this.#ended = true
    this.#told()
    this.#whenEnded()
  }

  readonly #leave = () => {
    this.#left.abort()
    this.#told()
  }
}
