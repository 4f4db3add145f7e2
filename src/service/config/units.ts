const SIZE = /^(\d{1,9})(B|KiB|MiB|GiB)$/
const BYTES: Readonly<Record<string, number>> = { B: 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30 }

/** Bytes of `512B`, `16KiB`, `8MiB` or `1GiB`; undefined: the text is not a size within these bounds. */
export function parseSize(text: string, [least, most]: readonly [number, number]): number | undefined {
  const [, count, unit] = SIZE.exec(text) ?? []
  const bytes = unit === undefined ? undefined : BYTES[unit]
  const size = Number(count) * (bytes ?? NaN)
  return size >= least && size <= most ? size : undefined
}
