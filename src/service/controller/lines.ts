import type { Pace, Priority } from '../../kubernetes/ports.ts'

const ORDER: readonly Priority[] = ['wake', 'snooze', 'completion']

/** The items of one line, oldest first. */
export type Line<T> = Set<T>

/**
 * The lines in which keys wait for a worker: two for each priority, one of them for keys whose last write was slow, so
 * that these delay no others.
 */
export class Lines<T> {
  readonly #ordinary = laneOf<T>()
  readonly #slow = laneOf<T>()
  readonly #pace: Pace

  constructor(pace: Pace) {
    this.#pace = pace
  }

  of(key: string, priority: Priority): Line<T> {
    return (this.#pace.isSlow(key) ? this.#slow : this.#ordinary)[priority]
  }

  /** The first of the most urgent line whose write would be sent at once; undefined: none would. */
  next(): T | undefined {
    for (const priority of ORDER)
      for (const lane of [this.#ordinary, this.#slow]) {
        const [first] = lane[priority]
        if (first !== undefined && this.#pace.hasRoom(priority, lane === this.#slow)) return first
      }
    return undefined
  }

  /** How many wait. */
  get length(): number {
    return ORDER.reduce((sum, line) => sum + this.#ordinary[line].size + this.#slow[line].size, 0)
  }
}

function laneOf<T>(): Readonly<Record<Priority, Line<T>>> {
  return { wake: new Set(), snooze: new Set(), completion: new Set() }
}
