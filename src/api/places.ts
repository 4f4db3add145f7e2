import { Refusal } from '../errors.ts'

/** How many requests may last at once: all together, and those of one subject, so that it cannot take all places. */
export class Places {
  readonly #most: number
  readonly #mostOfSubject: number
  readonly #message: string
  readonly #ofSubject = new Map<string, number>()
  #total = 0

  /** `message`: what is refused, and what to do. */
  constructor(most: number, message: string) {
    this.#most = most
    this.#mostOfSubject = Math.ceil(most / 10)
    this.#message = message
  }

  /**
   * Takes a place and returns what gives it back, which works once.
   *
   *     const release = places.reserve(subjectKey(caller))
   *
   * @throws Refusal RATE_LIMITED: none is free
   */
  reserve(subject: string): () => void {
    const own = this.#ofSubject.get(subject) ?? 0
    if (this.#total >= this.#most || own >= this.#mostOfSubject)
      throw new Refusal('RATE_LIMITED', this.#message, { retryAfter: 1 })
    this.#total += 1
    this.#ofSubject.set(subject, own + 1)
    let held = true
    return () => {
      if (!held) return
      held = false
      this.#total -= 1
      const left = (this.#ofSubject.get(subject) ?? 0) - 1
      if (left > 0) this.#ofSubject.set(subject, left)
      else this.#ofSubject.delete(subject)
    }
  }
}
