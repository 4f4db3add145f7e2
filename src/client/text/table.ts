import { oneLine } from '../safe-output.ts'

const GAP = '   '

/** Columns as kubectl aligns them: three blanks between, none at the end. */
export class Table {
  readonly #header: readonly string[]
  readonly #widths: number[]

  /** Widths grow with `rows`; rows that are written later keep to them. */
  constructor(header: readonly string[], rows: readonly (readonly string[])[]) {
    this.#header = header
    this.#widths = header.map((name, column) =>
      Math.max(name.length, ...rows.map((row) => visibleLength(oneLine(row[column] ?? '')))),
    )
  }

  /** Characters of the longest line. */
  get width(): number {
    return this.#widths.reduce((sum, width) => sum + width, GAP.length * (this.#widths.length - 1))
  }

  header(): string {
    return this.row(this.#header)
  }

  row(cells: readonly string[]): string {
    const padded = cells.map(oneLine).map((cell, column) => {
      const blanks = (this.#widths[column] ?? 0) - visibleLength(cell)
      return cell + ' '.repeat(Math.max(0, blanks))
    })
    return `${padded.join(GAP).trimEnd()}\n`
  }
}

// oxlint-disable-next-line no-control-regex
const COLOUR = /\u001B\[\d+m/g

/** Characters without colours. */
export function visibleLength(text: string): number {
  return text.replaceAll(COLOUR, '').length
}
