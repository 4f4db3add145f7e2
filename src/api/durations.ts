const UNIT = { s: 1000, m: 60_000, h: 3_600_000 } as const

/** `for` and `duration`: whole hours or minutes, 1m to 8760h. */
export const HOLD_PATTERN =
  '(?:[1-9][0-9]{0,2}|[1-7][0-9]{3}|8[0-6][0-9]{2}|87[0-5][0-9]|8760)h' +
  '|(?:[1-9][0-9]{0,4}|[1-4][0-9]{5}|5[01][0-9]{4}|52[0-4][0-9]{3}|525[0-5][0-9]{2}|525600)m'

/** `wait`: whole seconds or minutes, 1s to 5m. */
export const WAIT_PATTERN = '(?:[1-9][0-9]?|[12][0-9]{2}|300)s|[1-5]m'

/** Milliseconds of what one of the patterns has let through, such as `90m`; TypeError on anything else. */
export function milliseconds(duration: string): number {
  const [, count, unit] = /^(\d{1,6})([smh])$/.exec(duration) ?? []
  if (count === undefined) throw new TypeError(`not a duration: ${duration}`)
  return Number(count) * UNIT[unit as keyof typeof UNIT]
}
