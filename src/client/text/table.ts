import { oneLine } from '../safe-output.ts'

const GAP = '   '
/** Characters of a cell that still say something. */
const SHORTEST = 8

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

  /**
   * Makes lines of at most `width` characters of what can be cut: of these columns the widest is cut first, and none to
   * less than eight characters.
   */
  narrow(columns: readonly number[], width: number): void {
    for (let over = this.width - width; over > 0; over -= 1) {
      const widest = columns.toSorted((a, b) => this.#widthOf(b) - this.#widthOf(a))[0]
      if (widest === undefined || this.#widthOf(widest) <= SHORTEST) return
      this.#widths[widest] = this.#widthOf(widest) - 1
    }
  }

  #widthOf(column: number): number {
    return this.#widths[column] ?? 0
  }

  header(): string {
    return this.row(this.#header)
  }

  /** A cell that is wider than a column that was made narrow is cut. */
  row(cells: readonly string[]): string {
    const padded = cells.map(oneLine).map((cell, column) => {
      const length = visibleLength(cell)
      const width = this.#widthOf(column)
      // It is of a later row; colours are in no column that is cut.
      const fits = length <= width || cell.length > length
      return fits ? cell + ' '.repeat(Math.max(0, width - length)) : cut(cell, width)
    })
    return `${padded.join(GAP).trimEnd()}\n`
  }
}

/** A table for a terminal that is perhaps narrow. */
export interface Fitting {
  /** Characters of a line; undefined: any number. */
  readonly width: number | undefined
  /** Columns whose cells may be cut, those first that are cut first. */
  readonly cut: readonly number[]
  /** Columns that may be left out, the least needed first, before a cell becomes too short. */
  readonly leave?: readonly number[]
  /** Before each line. */
  readonly indent?: string
}

/** The whole table; with a width, in lines that do not wrap, and without one with all that there is. */
export function tableText(
  header: readonly string[],
  rows: readonly (readonly string[])[],
  { width = Number.POSITIVE_INFINITY, cut: cutting, leave = [], indent = '' }: Fitting,
): string {
  const room = width - indent.length
  const fittedWithout = (left: readonly number[]) => {
    const columns = header.map((_, column) => column).filter((column) => !left.includes(column))
    const pick = (cells: readonly string[]) => columns.map((column) => cells[column] ?? '')
    const table = new Table(pick(header), rows.map(pick))
    for (const column of cutting) table.narrow([columns.indexOf(column)], room)
    return { table, pick }
  }
  let fitted = fittedWithout([])
  for (const count of leave.keys())
    if (fitted.table.width > room) fitted = fittedWithout(leave.slice(0, count + 1))
  const lines = [header, ...rows].map((cells) => `${indent}${fitted.table.row(fitted.pick(cells))}`)
  return lines.join('')
}

/** As many characters, the last of which says that there are more. */
export function cut(text: string, room: number): string {
  return text.length > room ? `${text.slice(0, Math.max(0, room - 1))}…` : text
}

/** The text in lines of at most `width` characters, broken at blanks; undefined: one line. */
export function folded(text: string, width: number | undefined): string {
  if (width === undefined) return text
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last === undefined || last.length + 1 + word.length > width) lines.push(word)
    else lines[lines.length - 1] = `${last} ${word}`
  }
  return lines.join('\n')
}

// oxlint-disable-next-line no-control-regex
const COLOUR = /\u001B\[\d+m/g

/** Characters without colours. */
export function visibleLength(text: string): number {
  return text.replaceAll(COLOUR, '').length
}
