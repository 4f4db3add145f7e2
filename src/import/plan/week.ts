import { canonical, WEEK, type Window } from '../../domain/schedule/window.ts'

const DAY = 24 * 60
const MINUTES = 7 * DAY

/** Some minutes of a week, counted from Monday 0:00 by the clocks of a place. */
export class Week {
  readonly #on: Uint8Array

  private constructor(on: Uint8Array) {
    this.#on = on
  }

  static readonly ALL = Week.where(() => true)
  static readonly NONE = Week.where(() => false)

  /** `day` counts from Monday, 0; `minute` from midnight. */
  static where(test: (day: number, minute: number) => boolean): Week {
    return new Week(
      Uint8Array.from({ length: MINUTES }, (_, at) => Number(test(Math.floor(at / DAY), at % DAY))),
    )
  }

  /** The state after the latest of some changes; undefined: there are none. */
  static after(change: (day: number, minute: number) => boolean | undefined): Week | undefined {
    let state: boolean | undefined
    const on = new Uint8Array(MINUTES)
    // The second round knows what the end of the week before left.
    for (let at = 0; at < 2 * MINUTES; at++) {
      state = change(Math.floor((at % MINUTES) / DAY), at % DAY) ?? state
      on[at % MINUTES] = Number(state ?? false)
    }
    return state === undefined ? undefined : new Week(on)
  }

  has(day: number, minute: number): boolean {
    return this.#on[day * DAY + minute] === 1
  }

  get isEmpty(): boolean {
    return !this.#on.includes(1)
  }

  or(other: Week): Week {
    return Week.where((day, minute) => this.has(day, minute) || other.has(day, minute))
  }

  and(other: Week): Week {
    return Week.where((day, minute) => this.has(day, minute) && other.has(day, minute))
  }

  not(): Week {
    return Week.where((day, minute) => !this.has(day, minute))
  }

  /** The schedule that is awake in these minutes: `0:00-8:00,Mon-Fri;20:00-24:00,Mon-Fri`; '' for none. */
  schedule(): string {
    const windows = new Map<string, Window & { days: Window['days'][number][] }>()
    for (const day of WEEK)
      for (const { start, end } of this.#runs(day - 1)) {
        const key = `${start}-${end}`
        const known = windows.get(key)
        if (known) known.days.push(day)
        else windows.set(key, { start, end, days: [day] })
      }
    return canonical([...windows.values()])
  }

  #runs(day: number): { start: number; end: number }[] {
    const runs: { start: number; end: number }[] = []
    for (let minute = 0; minute < DAY; minute++) {
      if (!this.has(day, minute)) continue
      const open = runs.at(-1)
      if (open?.end === minute) open.end += 1
      else runs.push({ start: minute, end: minute + 1 })
    }
    return runs
  }
}
