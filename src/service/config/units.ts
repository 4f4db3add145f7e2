const DURATION = /^(?:(\d{1,9})h)?(?:(\d{1,9})m)?(?:(\d{1,9})s)?(?:(\d{1,9})ms)?$/
const MILLISECONDS = [3_600_000, 60_000, 1000, 1]

const SIZE = /^(\d{1,9})(B|KiB|MiB|GiB)$/
const BYTES: Readonly<Record<string, number>> = { B: 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30 }

/** Milliseconds of `250ms`, `90s`, `5m`, `12h` or `1h30m`; undefined: the text is not a duration. */
export function parseDuration(text: string): number | undefined {
  const parts = text === '' ? null : DURATION.exec(text)
  if (!parts) return undefined
  return MILLISECONDS.reduce((sum, unit, index) => sum + unit * Number(parts[index + 1] ?? 0), 0)
}

/** Advice for a text that is not a duration: `; the units are h, m, s and ms: 2d is 48h`; '' for a duration. */
export function unitAdvice(text: string): string {
  if (parseDuration(text) !== undefined) return ''
  const [, days] = /^(\d{1,5})d$/.exec(text) ?? []
  return `; the units are h, m, s and ms${days === undefined ? '' : `: ${text} is ${Number(days) * 24}h`}`
}

/** Bytes of `512B`, `16KiB`, `8MiB` or `1GiB`; undefined: the text is not a size. */
export function parseSize(text: string): number | undefined {
  const [, count, unit] = SIZE.exec(text) ?? []
  const bytes = unit === undefined ? undefined : BYTES[unit]
  return bytes === undefined ? undefined : Number(count) * bytes
}

/** The shortest way to write a duration: `5400000` is `1h30m`. */
export function formatDuration(milliseconds: number): string {
  let left = milliseconds
  const parts = ['h', 'm', 's', 'ms'].map((unit, index) => {
    const size = MILLISECONDS[index] ?? 1
    const count = Math.floor(left / size)
    left -= count * size
    return count > 0 ? `${count}${unit}` : ''
  })
  return parts.join('') || '0s'
}
