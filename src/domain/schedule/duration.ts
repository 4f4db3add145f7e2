/** Milliseconds, the largest first. */
const UNIT = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000, ms: 1 } as const

/** `[<n>d][<n>h][<n>m][<n>s]`, with days of 24 hours; at least one part (inexpressible without lookahead). */
export const DURATION_PATTERN = '(?:[0-9]{1,9}d)?(?:[0-9]{1,9}h)?(?:[0-9]{1,9}m)?(?:[0-9]{1,9}s)?'
/** The same with milliseconds, as the configuration takes it. */
export const PRECISE_PATTERN = `${DURATION_PATTERN}(?:[0-9]{1,9}ms)?`

const DURATION = new RegExp(`^${DURATION_PATTERN}$`)
const PRECISE = new RegExp(`^${PRECISE_PATTERN}$`)

/** Least and most, in milliseconds. */
export type Bounds = readonly [least: number, most: number]

/** How long a request may be for: 1m to 365d. */
export const REQUEST_BOUNDS: Bounds = [UNIT.m, 365 * UNIT.d]
/** `REQUEST_BOUNDS` in words. */
export const A_DURATION = aDuration(REQUEST_BOUNDS)

/** Milliseconds of `90m`, `1h30m` or `2d`; undefined: the text is not a duration within these bounds. */
export function durationIn(text: string, [least, most]: Bounds = REQUEST_BOUNDS): number | undefined {
  return within(DURATION, text, least, most)
}

/** The same where milliseconds count, too: `1s500ms`. */
export function preciseDurationIn(text: string, [least, most]: Bounds): number | undefined {
  return within(PRECISE, text, least, most)
}

/** Milliseconds of a text that was checked. @throws TypeError on any other text */
export function milliseconds(text: string): number {
  const value = preciseDurationIn(text, [0, Infinity])
  if (value === undefined) throw new TypeError(`not a duration: ${text}`)
  return value
}

function within(grammar: RegExp, text: string, least: number, most: number): number | undefined {
  if (text === '' || !grammar.test(text)) return undefined
  const parts = [...text.matchAll(/(\d+)([a-z]+)/g)]
  const value = parts.reduce(
    (sum, [, count, unit]) => sum + Number(count) * UNIT[unit as keyof typeof UNIT],
    0,
  )
  return value >= least && value <= most ? value : undefined
}

/** In words: `a duration such as 90s, 4h or 2d, from 1m to 365d`. */
export function aDuration([least, most]: Bounds): string {
  return `a duration such as 90s, 1h30m or 2d, from ${durationText(least)} to ${durationText(most)}`
}

/** A unit as people write it: `hours`, `hrs`, `H`. */
const WRITTEN = /(\d{1,9}(?:\.\d{1,3})?)\s*(d|h|m|s)(?:ays?|ours?|rs?|in(?:ute)?s?|ec(?:ond)?s?)?(?![a-z])/gi

/** Advice for a number without a unit (`: did you mean 4m or 4h?`) and for units in words; '' for any other text. */
export function unitAdvice(text: string): string {
  if (/^\d{1,9}$/.test(text)) return `: did you mean ${text}m or ${text}h?`
  const short = text.length > 60 || DURATION.test(text) ? '' : text
  if (short === '' || short.replaceAll(WRITTEN, '').replaceAll(/,|\band\b|\s/gi, '') !== '') return ''
  const parts = short.matchAll(WRITTEN)
  const sum = [...parts].reduce(
    (all, [, count, unit = '']) => all + Number(count) * UNIT[unit.toLowerCase() as keyof typeof UNIT],
    0,
  )
  const meant = durationText(Math.round(sum))
  return sum > 0 && DURATION.test(meant) ? `: did you mean ${meant}?` : ''
}

/** The shortest way to write a duration: `5400000` is `1h30m`. */
export function durationText(milliseconds: number): string {
  let left = milliseconds
  const parts = Object.entries(UNIT).map(([unit, size]) => {
    const count = Math.floor(left / size)
    left -= count * size
    return count > 0 ? `${count}${unit}` : ''
  })
  return parts.join('') || '0s'
}
