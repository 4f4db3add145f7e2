import { Refusal } from '../../process/errors.ts'
import type { ApiContext } from './context.ts'

/** How many requests may have a place at once: in total, and for one subject, so that it cannot take all. */
export interface Limits {
  readonly inAll: number
  readonly ofSubject: number
}

/** An answer may have 500 KB, which are held until they are read. */
const ANSWERS: Limits = { inAll: 64, ofSubject: 16 }
/** A request that waits for pods holds nothing. */
export const WAITS: Limits = { inAll: 256, ofSubject: 64 }

/** A list that is watched holds some 230 KB when it is not read. */
export function streamLimits(inAll: number): Limits {
  return { inAll, ofSubject: Math.ceil(inAll / 10) }
}

/** Gives a request its place. @throws Refusal RATE_LIMITED: none is free */
export type Enter = (ctx: ApiContext) => void

/**
 * A limited number of places. A request has one place at a time, from its start until its answer is read or its client
 * disconnects.
 *
 *     const answers = new Places(ANSWERS)
 *     answers.demand(ctx, subjectKey(caller), 'too many: try again')
 */
export class Places {
  readonly #limits: Limits
  readonly #ofSubject = new Map<string, number>()
  #total = 0

  constructor(limits: Limits) {
    this.#limits = limits
  }

  /** Gives the request a place here for the one it has; false: none is free, and it keeps the one it has. */
  enter({ state, res }: ApiContext, subject: string): boolean {
    const own = this.#ofSubject.get(subject) ?? 0
    if (this.#total >= this.#limits.inAll || own >= this.#limits.ofSubject) return false
    this.#count(subject, 1)
    let isHere = true
    const leave = () => {
      if (isHere) this.#count(subject, -1)
      isHere = false
    }
    if (state.leavePlace) state.leavePlace()
    else res.once('close', () => state.leavePlace?.())
    state.leavePlace = leave
    if (res.destroyed) leave()
    return true
  }

  /** The same. @throws Refusal RATE_LIMITED with `message`, which says what is refused and what to do */
  demand(ctx: ApiContext, subject: string, message: string): void {
    if (!this.enter(ctx, subject)) throw new Refusal('RATE_LIMITED', message, { retryAfter: 1 })
  }

  #count(subject: string, more: 1 | -1): void {
    const own = (this.#ofSubject.get(subject) ?? 0) + more
    this.#total += more
    if (own > 0) this.#ofSubject.set(subject, own)
    else this.#ofSubject.delete(subject)
  }
}

/** Gives each request a place among answers, for the subject of `subjectOf`. */
export function placesOfAnswers(subjectOf: (ctx: ApiContext) => string): Enter {
  const places = new Places(ANSWERS)
  const { ofSubject, inAll } = ANSWERS
  const message = `at most ${ofSubject} requests of one caller at once, and ${inAll} in all, until their answers are read: read them, and send it again`
  return (ctx) => places.demand(ctx, subjectOf(ctx), message)
}
