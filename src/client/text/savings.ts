import { amountCells, type SavedAmounts } from '../../domain/records/saved.ts'
import { BASIS } from '../../words/savings.ts'
import { longTime } from './local-time.ts'
import { folded, tableText } from './table.ts'

/** The savings of a week, by namespace or team, the most first. */
export interface Savings {
  /** In ISO 8601; null: nothing was found. */
  readonly since: string | null
  readonly by: 'namespace' | 'team'
  readonly items: readonly (SavedAmounts & { readonly name: string })[]
  readonly total: SavedAmounts
}

/** A table with the sum last; `width`: characters of a line. */
export function savingsText(
  { since, by, items, total }: Savings,
  zone: string | undefined,
  width: number | undefined,
): string {
  const money = total.money ? [total.money.currency] : []
  const header = [by.toUpperCase(), 'CORE-HOURS', 'GIB-HOURS', ...money]
  // Clusters may have several currencies: then money has no sum, and is left out.
  const cells = (each: SavedAmounts) => amountCells(total.money ? each : { ...each, money: null })
  const rows = [...items.map((item) => [item.name, ...cells(item)]), ['total', ...cells(total)]]
  const widths = header.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  )
  const aligned = (row: readonly string[]) =>
    row.map((cell, column) => (column === 0 ? cell : cell.padStart(widths[column] ?? 0)))
  const table = tableText(aligned(header), rows.map(aligned), { width, cut: [0] })
  const head = `Saved by sleep since ${longTime(Date.parse(since ?? ''), zone)}, as far as histories reach: ${BASIS}`
  return `${folded(head, width)}\n${table}`
}
