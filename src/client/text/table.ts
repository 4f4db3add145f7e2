import { oneLine } from '../safe-output.ts'

const GAP = '   '
/** Characters of a cell that still say something. */
const SHORTEST = 8

/** Columns as kubectl aligns them: three blanks between, none at the end. */
export class Table {
  readonly #widths: number[]
  readonly #room: number

  /** Widths grow with `rows`, and rows that are written later keep to them. `room`: characters of a line. */
  constructor(
    header: readonly string[],
    rows: readonly (readonly string[])[],
    room = Number.POSITIVE_INFINITY,
  ) {
    this.#room = room
    this.#widths = header.map((name, column) =>
      Math.max(name.length, ...rows.map((row) => visibleLength(oneLine(row[column] ?? '')))),
    )
  }

  /** Characters of the longest line that have no room. */
  get #over(): number {
    const gaps = GAP.length * (this.#widths.length - 1)
    return this.#widths.reduce((sum, width) => sum + width, gaps) - this.#room
  }

  get fits(): boolean {
    return this.#over <= 0
  }

  /** Cuts columns until lines have room: the widest of these first, and none to less than so many characters. */
  narrow(columns: readonly number[], shortest = SHORTEST): void {
    for (let over = this.#over; over > 0; over -= 1) {
      const widest = columns.toSorted((a, b) => this.#widthOf(b) - this.#widthOf(a))[0]
      if (widest === undefined || this.#widthOf(widest) <= shortest) return
      this.#widths[widest] = this.#widthOf(widest) - 1
    }
  }

  #widthOf(column: number): number {
    return this.#widths[column] ?? 0
  }

  /** Cuts a cell that is wider than its column, if lines have to fit. */
  row(cells: readonly string[]): string {
    const padded = cells.map(oneLine).map((cell, column) => {
      const length = visibleLength(cell)
      const width = this.#widthOf(column)
      // Colours are in no column that is cut.
      const isCut = length > width && this.#room < Number.POSITIVE_INFINITY && cell.length === length
      return isCut ? cut(cell, width) : cell + ' '.repeat(Math.max(0, width - length))
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
  const without = (left: readonly number[]) => {
    const columns = header.map((_, column) => column).filter((column) => !left.includes(column))
    const pick = (cells: readonly string[]) => columns.map((column) => cells[column] ?? '')
    const table = new Table(pick(header), rows.map(pick), width - indent.length)
    for (const column of cutting) table.narrow([columns.indexOf(column)])
    return { table, pick }
  }
  let fitted = without([])
  for (const count of leave.keys()) if (!fitted.table.fits) fitted = without(leave.slice(0, count + 1))
  return [header, ...rows].map((cells) => `${indent}${fitted.table.row(fitted.pick(cells))}`).join('')
}

/** As many characters, the last of which says that there are more. */
function cut(text: string, room: number): string {
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
function visibleLength(text: string): number {
  return text.includes('\u001B') ? text.replaceAll(COLOUR, '').length : text.length
}
