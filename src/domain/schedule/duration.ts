const UNIT = { s: 1000, m: 60_000, h: 3_600_000 } as const

/** `for` and `duration`: whole hours or minutes, 1m to 8760h. */
export const DURATION_PATTERN =
  '(?:[1-9][0-9]{0,2}|[1-7][0-9]{3}|8[0-6][0-9]{2}|87[0-5][0-9]|8760)h' +
  '|(?:[1-9][0-9]{0,4}|[1-4][0-9]{5}|5[01][0-9]{4}|52[0-4][0-9]{3}|525[0-5][0-9]{2}|525600)m'

/** What that pattern expects, in words. */
export const A_DURATION = 'a duration such as 90m or 12h, from 1m to 8760h'

const DURATION = new RegExp(`^(?:${DURATION_PATTERN})$`)

export function isDuration(text: string): boolean {
  return DURATION.test(text)
}

/** Milliseconds of a duration in whole seconds, minutes or hours, such as `90m`. @throws TypeError on any other text */
export function milliseconds(duration: string): number {
  const [, count, unit] = /^(\d{1,6})([smh])$/.exec(duration) ?? []
  if (count === undefined) throw new TypeError(`not a duration: ${duration}`)
  return Number(count) * UNIT[unit as keyof typeof UNIT]
}

/** The inverse for whole minutes, in hours where these are whole: `90m`, `2h`. @throws TypeError on any other number */
export function durationText(duration: number): string {
  const text = duration % UNIT.h === 0 ? `${duration / UNIT.h}h` : `${duration / UNIT.m}m`
  if (!isDuration(text)) throw new TypeError(`not whole minutes from 1m to 8760h: ${duration} ms`)
  return text
}
