import { amountCells, type SavedAmounts } from '../../domain/records/saved.ts'
import { longTime } from './local-time.ts'
import { Table } from './table.ts'

/** Beside every amount, in texts and for programs: a provider bills nodes, not what pods request. */
export const BASIS = 'requested, not billed'

/** The savings of a week, by namespace or team, the most first. */
export interface Savings {
  /** In ISO 8601; null: nothing was found. */
  readonly since: string | null
  readonly by: 'namespace' | 'team'
  readonly items: readonly (SavedAmounts & { readonly name: string })[]
  readonly total: SavedAmounts
}

/** A table with the sum last. */
export function savingsText({ since, by, items, total }: Savings, zone: string | undefined): string {
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
  const table = new Table(aligned(header), rows.map(aligned))
  const lines = rows.map((row) => table.row(aligned(row)))
  const head = `Saved by sleep since ${longTime(Date.parse(since ?? ''), zone)}, as far as histories reach: ${BASIS}\n`
  return `${head}${table.header()}${lines.join('')}`
}
