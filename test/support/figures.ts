/** A row of a table. */
export interface Row {
  readonly name: string
  /** Milliseconds. */
  readonly values: readonly number[]
}

/** Prints count, quantiles and maximum of each row; no test depends on them. */
export function printFigures(title: string, rows: readonly Row[]): void {
  const width = Math.max(...rows.map(({ name }) => name.length))
  const columns = ['count', 'p50', 'p99', 'max']
  const lines = rows.map(({ name, values }) => {
    const quantiles = [0.5, 0.99, 1].map((q) => Math.round(quantile(values, q)))
    const cells = [values.length, ...quantiles]
    return `${name.padEnd(width)} ${cells.map((cell, at) => `${cell}${at === 0 ? '' : ' ms'}`.padStart(10)).join('')}`
  })
  const head = `${' '.repeat(width)} ${columns.map((column) => column.padStart(10)).join('')}`
  print([title, head, ...lines])
}

/** Prints lines indented as mocha's own. */
export function print(lines: readonly string[]): void {
  process.stdout.write(`${lines.map((line) => `      ${line}`).join('\n')}\n`)
}

/** The nearest-rank quantile; NaN without values. */
export function quantile(values: readonly number[], q: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  const at = Math.max(0, Math.ceil(q * sorted.length) - 1)
  return sorted[at] ?? Number.NaN
}
