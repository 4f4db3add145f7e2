import { oneLine } from '../safe-output.ts'

/** Columns as kubectl aligns them: three blanks between, none at the end. */
export class Table {
  readonly #header: readonly string[]
  readonly #widths: number[]

  /** Widths grow with `rows`; rows that are written later keep to them. */
  constructor(header: readonly string[], rows: readonly (readonly string[])[]) {
    this.#header = header
    this.#widths = header.map((name, column) =>
      Math.max(name.length, ...rows.map((row) => visible(oneLine(row[column] ?? '')).length)),
    )
  }

  header(): string {
    return this.row(this.#header)
  }

  row(cells: readonly string[]): string {
    const padded = cells.map(oneLine).map((cell, column) => {
      const blanks = (this.#widths[column] ?? 0) - visible(cell).length
      return cell + ' '.repeat(Math.max(0, blanks))
    })
    return `${padded.join('   ').trimEnd()}\n`
  }
}

// oxlint-disable-next-line no-control-regex
const COLOUR = /\u001B\[\d+m/g

function visible(text: string): string {
  return text.replaceAll(COLOUR, '')
}
