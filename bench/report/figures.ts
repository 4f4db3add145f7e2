import { quantile } from '../../test/support/figures.ts'

export { quantile }

/** NaN without values. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  return ((sorted[Math.ceil(middle) - 1] ?? Number.NaN) + (sorted[Math.floor(middle)] ?? Number.NaN)) / 2
}

/** How many a second `count` in so many milliseconds are. */
export function perSecond(count: number, milliseconds: number): number {
  return (count / milliseconds) * 1000
}
