import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Called } from './called.ts'
import type { EventFault } from './faults.ts'

/** An event of a watch, as much as faults look at. */
export interface WatchedEvent {
  readonly type: string
  readonly object: { readonly metadata?: { readonly namespace?: string; readonly name?: string } }
}

const NEWLINE = 0x0a
/** If no other event comes, the swapped one is late. */
const LONGEST_SWAP_MS = 500

/** A watch on its way through the proxy, line by line. */
export class TappedWatch {
  readonly called: Called
  readonly #answer: IncomingMessage
  readonly #response: ServerResponse
  readonly #strike: (event: WatchedEvent) => EventFault | undefined
  /** An unfinished line. */
  #pending: Buffer[] = []
  #held: string[] = []
  /** It is frozen until each who froze it has thawed it. */
  #freezes = 0
  /** Waits for the next line to go first. */
  #swapped: string[] = []
  #ended = false
  /** Nothing passes any more. */
  #over = false

  constructor(
    called: Called,
    { answer, response }: { readonly answer: IncomingMessage; readonly response: ServerResponse },
    strike: (event: WatchedEvent) => EventFault | undefined,
  ) {
    this.called = called
    this.#answer = answer
    this.#response = response
    this.#strike = strike
    answer.on('data', (chunk: Buffer) => this.#take(chunk))
    answer.on('end', () => this.#end())
    answer.on('error', () => this.cut())
  }

  /** Lines that were held back. */
  get held(): number {
    return this.#held.length
  }

  /** The API server has ended it: where nobody reads fast enough, it does. */
  get hasEnded(): boolean {
    return this.#ended
  }

  /** Nothing passes, not even the end, until the function returned is called; then all that was held back. */
  freeze(): () => void {
    this.#freezes += 1
    return () => this.#thaw()
  }

  /** Sends a line of the test's own, at once; as JSON unless it is a text. */
  say(line: unknown): void {
    this.#write(`${textOf(line)}\n`)
  }

  /** Passes the beginning of a line, and then nothing more. */
  sayHalf(line: unknown): void {
    const text = textOf(line)
    this.#write(text.slice(0, text.length / 2))
    this.#over = true
  }

  /** Closes the connection, after the lines sent so far. */
  cut(): void {
    this.#over = true
    setImmediate(() => {
      this.#response.destroy()
      this.#answer.destroy()
    })
  }

  #thaw(): void {
    this.#freezes -= 1
    if (this.#freezes > 0) return
    for (const line of this.#held.splice(0)) this.#pass(line)
    if (this.#ended) this.#end()
  }

  #take(chunk: Buffer): void {
    let start = 0
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      const line = Buffer.concat([...this.#pending, chunk.subarray(start, end)]).toString()
      this.#pending = []
      start = end + 1
      this.#apply(line)
    }
    this.#pending.push(chunk.subarray(start))
  }

  #apply(line: string): void {
    const fault = this.#strike(JSON.parse(line) as WatchedEvent)
    if (!fault) return this.#pass(line)
    switch (fault.type) {
      case 'lose':
        return
      case 'repeat':
        this.#pass(line)
        return this.#pass(line)
      case 'swap':
        this.#swapped.push(line)
        setTimeout(() => this.#passSwapped(), LONGEST_SWAP_MS)
        return
      case 'delay':
        setTimeout(this.freeze(), fault.milliseconds)
        return this.#pass(line)
      case 'cut':
        return this.cut()
      case 'half':
        this.sayHalf(line)
        return this.cut()
      case 'replace':
        return this.#pass(textOf(fault.line))
    }
  }

  #pass(line: string): void {
    if (this.#freezes > 0) this.#held.push(line)
    else this.#write(`${line}\n`)
    this.#passSwapped()
  }

  #passSwapped(): void {
    for (const line of this.#swapped.splice(0)) this.#pass(line)
  }

  #write(text: string): void {
    if (!this.#over) this.#response.write(text)
  }

  #end(): void {
    this.#ended = true
    if (this.#freezes > 0 || this.#over) return
    this.#passSwapped()
    this.#response.end()
  }
}

function textOf(line: unknown): string {
  return typeof line === 'string' ? line : JSON.stringify(line)
}
