import { counted } from '../../domain/text.ts'
import type { TransitionRecord } from '../../domain/records/record.ts'
import { age } from '../times.ts'
import { longTime, worded, zoneOf } from './local-time.ts'
import { Table } from './table.ts'
import type { Style } from './why.ts'

/** The coming transitions, one a line. */
export function planText(
  name: string,
  transitions: readonly TransitionRecord[],
  hours: number,
  style: Style,
): string {
  const { times } = style
  const span = (hours % 24 === 0 ? counted(hours / 24, 'day') : counted(hours, 'hour')).replace(/^1 /, '')
  if (transitions.length === 0) return `${name}: nothing changes by itself in the next ${span}\n`
  const rows = transitions.map(({ at, type, reason }) => [
    longTime(Date.parse(at), times.zone),
    age(Date.parse(at) - times.now),
    type === 'wake' ? 'wakes' : 'sleeps',
    worded(reason, times),
  ])
  const table = new Table([`WHEN (${zoneOf(times)})`, 'IN', 'WHAT', 'WHY'], rows)
  return `${name}, the next ${span}:\n${table.header()}${rows.map((row) => table.row(row)).join('')}`
}
