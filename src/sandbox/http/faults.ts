import type { ObjectStore } from '../store/object-store.ts'
import type { AccessQuestion } from './reviews.ts'
import { StatusError } from '../store/status.ts'
import type { Watches } from './watch.ts'

/** An answer given instead of the true one. */
export interface FaultAnswer {
  /** Any method when left out. */
  method?: string
  /** Tried on path and query, as the request line has them. */
  path: RegExp
  status: number
  /** For example `{ 'retry-after': '1' }`. */
  headers?: Record<string, string>
  message?: string
  /** How many requests get it; 1 when left out. */
  times?: number
  /** Milliseconds until it comes; at once when left out. */
  after?: number
}

interface Door {
  open: () => Promise<void>
  close: () => Promise<void>
}

/** Bad days to order. Everything here is undone by its counterpart; nothing ends by itself but `answer`. */
export class Faults {
  readonly #watches: Watches
  readonly #store: ObjectStore
  readonly #door: Door
  #answers: (FaultAnswer & { times: number })[] = []
  #denies: (question: AccessQuestion) => boolean = () => false

  constructor(parts: { watches: Watches; store: ObjectStore; door: Door }) {
    this.#watches = parts.watches
    this.#store = parts.store
    this.#door = parts.door
  }

  /** Answers the next matching requests with a Status of this code; what is left of it ends by what is returned. */
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

  /** Keeps every watch silent, bookmarks included, until they are released: then all that was missed comes. */
  holdWatches(): void {
    this.#watches.hold()
  }

  releaseWatches(): void {
    this.#watches.release()
  }

  /** Forgets history: watches and lists that name an older version are answered 410. */
  compact(): void {
    this.#store.compact()
  }

  /** Closes every connection and listens no more, as when the API server is gone. */
  async refuseConnections(): Promise<void> {
    await this.#door.close()
  }

  /** Listens again, on the same port. */
  async acceptConnections(): Promise<void> {
    await this.#door.open()
  }

  /** What SubjectAccessReviews refuse from now on; `() => false` allows everything again. */
  denyAccess(denies: (question: AccessQuestion) => boolean): void {
    this.#denies = denies
  }

  allows(question: AccessQuestion): boolean {
    return !this.#denies(question)
  }

  /** The fault that this request runs into, used up by one. */
  take(
    method: string,
    url: string,
  ): { error: StatusError; headers: Record<string, string>; after: number } | undefined {
    const found = this.#answers.find((each) => (each.method ?? method) === method && each.path.test(url))
    if (!found) return undefined
    found.times -= 1
    this.#answers = this.#answers.filter(({ times }) => times > 0)
    const { status, message = 'a fault that was asked for', headers = {}, after = 0 } = found
    return { error: new StatusError(status, message), headers, after }
  }
}
