import { canonical, MINUTES_OF_DAY, WEEK, type Window } from '../../domain/schedule/window.ts'

const DAY = MINUTES_OF_DAY
export const MINUTES_OF_WEEK = 7 * DAY

/** Minutes of the week, counted from Monday 0:00; `to` is not included. */
export type Minutes = readonly [from: number, to: number]

/** Some minutes of a week, counted from Monday 0:00 by the clocks of a place. */
export class Week {
  readonly #on: Uint8Array

  private constructor(on: Uint8Array) {
    this.#on = on
  }

  static readonly ALL = Week.covering([[0, MINUTES_OF_WEEK]])
  static readonly NONE = Week.covering([])

  static covering(all: Iterable<Minutes>): Week {
    const on = new Uint8Array(MINUTES_OF_WEEK)
    for (const [from, to] of all) on.fill(1, from, Math.max(from, to))
    return new Week(on)
  }

  /** The minutes after which the latest `change` was to true; undefined: nothing ever changes. */
  static after(change: (at: number) => boolean | undefined): Week | undefined {
    let state: boolean | undefined
    const on = new Uint8Array(MINUTES_OF_WEEK)
    // The second round begins with the state at the end of the first.
    for (let at = 0; at < 2 * MINUTES_OF_WEEK; at++) {
      state = change(at % MINUTES_OF_WEEK) ?? state
      on[at % MINUTES_OF_WEEK] = Number(state ?? false)
    }
    return state === undefined ? undefined : new Week(on)
  }

  has(at: number): boolean {
    return this.#on[at] === 1
  }

  get isEmpty(): boolean {
    return !this.#on.includes(1)
  }

  or(other: Week): Week {
    return new Week(this.#on.map((each, at) => each | Number(other.has(at))))
  }

  and(other: Week): Week {
    return new Week(this.#on.map((each, at) => each & Number(other.has(at))))
  }

  not(): Week {
    return new Week(this.#on.map((each) => 1 - each))
  }

  /** The minutes at which it changes, ascending, Monday 0:00 included. */
  edges(): number[] {
    const edges: number[] = []
    this.#on.forEach((each, at) => {
      if (each !== this.#on.at(at - 1)) edges.push(at)
    })
    return edges
  }

  /** The schedule that is awake in these minutes: `0:00-8:00,Mon-Fri;20:00-24:00,Mon-Fri`; '' for none. */
  schedule(): string {
    const windows = new Map<string, Window & { days: Window['days'][number][] }>()
    const edges = this.edges()
    for (const day of WEEK) {
      const midnight = (day - 1) * DAY
      const inside = edges.map((at) => at - midnight).filter((minute) => minute > 0 && minute < DAY)
      for (const [index, start] of [0, ...inside].entries()) {
        if (!this.has(midnight + start)) continue
        const end = inside[index] ?? DAY
        const window = windows.get(`${start}-${end}`) ?? { start, end, days: [] }
        window.days.push(day)
        windows.set(`${start}-${end}`, window)
      }
    }
    return canonical([...windows.values()])
  }
}
