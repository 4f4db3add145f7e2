import { barText, verdict, type Row } from './row.ts'

export const HEAD = ['What', 'Dormouse', 'Compared with', 'Ratio', 'Bar', ''] as const

/** A row's cells, as texts. */
export function cellsOf(row: Row): string[] {
  const { what, figure, unit, reference, ratio } = row
  return [
    what,
    quantity(figure, unit),
    reference ? `${quantity(reference.figure, unit)} ${reference.name}` : '',
    ratio === null ? '' : ratio.toFixed(2),
    barText(row),
    verdict(row),
  ]
}

function quantity(figure: number | null, unit: string): string {
  return figure === null ? '–' : `${figure.toLocaleString('en')} ${unit}`.trim()
}

/** Rows in columns, for a terminal. */
export function textTable(rows: readonly Row[]): string {
  const cells = [[...HEAD], ...rows.map(cellsOf)]
  const widths = HEAD.map((_, column) => Math.max(...cells.map((line) => line[column]?.length ?? 0)))
  const padded = cells.map((line) => line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '))
  return [...padded.map((line) => line.trimEnd()), ...notesOf(rows).map((note) => `  ${note}`)].join('\n')
}

/** The remarks on the rows: each once, after its subject. */
export function notesOf(rows: readonly Row[]): string[] {
  const about = new Map<string, string[]>()
  for (const { what, note } of rows) if (note !== null) about.set(note, [...(about.get(note) ?? []), what])
  return Array.from(about, ([note, whats]) => `${whats.join('; ')}: ${note}`)
}
