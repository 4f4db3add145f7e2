import type { ObjectStore } from '../store/object-store.ts'
import type { AccessQuestion } from './reviews.ts'
import { StatusError } from '../store/status.ts'
import type { Watches } from './watch.ts'

/** An answer that replaces the real one. */
export interface FaultAnswer {
  /** Any method when left out. */
  method?: string
  /** Matched against path and query of the request line. */
  path: RegExp
  status: number
  /** For example `{ 'retry-after': '1' }`. */
  headers?: Record<string, string>
  message?: string
  /** The number of requests that get it; 1 when left out. */
  times?: number
  /** Milliseconds to wait before answering; 0 when left out. */
  after?: number
}

interface Listener {
  listen: () => Promise<void>
  close: () => Promise<void>
}

/** Faults on demand, for tests. Each lasts until its counterpart is called; only `answer` ends by itself. */
export class Faults {
  readonly #watches: Watches
  readonly #store: ObjectStore
  readonly #listener: Listener
  #answers: (FaultAnswer & { times: number })[] = []
  #denies: (question: AccessQuestion) => boolean = () => false

  constructor(parts: { watches: Watches; store: ObjectStore; listener: Listener }) {
    this.#watches = parts.watches
    this.#store = parts.store
    this.#listener = parts.listener
  }

  /** Answers the next matching requests with a Status of this code; the function returned ends this early. */
  answer(answer: FaultAnswer): () => void {
    const fault = { times: 1, ...answer }
    this.#answers.push(fault)
    return () => {
      this.#answers = this.#answers.filter((each) => each !== fault)
    }
  }

  /** Cuts the connection of every open watch. */
  cutWatches(): void {
    this.#watches.cut()
  }

  /** Sends no event to any watch, not even a bookmark, until `releaseWatches`; then all that were held back. */
  holdWatches(): void {
    this.#watches.hold()
  }

  releaseWatches(): void {
    this.#watches.release()
  }

  /** Deletes the history: watches and lists from an older version get 410. */
  compact(): void {
    this.#store.compact()
  }

  /** Closes every connection and stops listening, as if the API server were down. */
  async refuseConnections(): Promise<void> {
    await this.#listener.close()
  }

  /** Listens again, on the same port. */
  async acceptConnections(): Promise<void> {
    await this.#listener.listen()
  }

  /** Sets what SubjectAccessReviews deny from now on; `() => false` allows everything again. */
  denyAccess(denies: (question: AccessQuestion) => boolean): void {
    this.#denies = denies
  }

  allows(question: AccessQuestion): boolean {
    return !this.#denies(question)
  }

  /** The fault for this request, if any; uses up one of its `times`. */
  take(
    method: string,
    url: string,
  ): { error: StatusError; headers: Record<string, string>; after: number } | undefined {
    const found = this.#answers.find((each) => (each.method ?? method) === method && each.path.test(url))
    if (!found) return undefined
    found.times -= 1
    this.#answers = this.#answers.filter(({ times }) => times > 0)
    const { status, message = 'a fault on demand', headers = {}, after = 0 } = found
    return { error: new StatusError(status, message), headers, after }
  }
}
