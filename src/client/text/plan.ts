import { counted } from '../../domain/text.ts'
import type { TransitionRecord } from '../../domain/records/record.ts'
import { age } from '../times.ts'
import { longTime, worded, zoneOf } from './local-time.ts'
import { folded, tableText } from './table.ts'
import type { Style } from './why.ts'

const [WHEN, IN, WHY] = [0, 1, 3] as const

/** The coming transitions, one a line. */
export function planText(
  name: string,
  transitions: readonly TransitionRecord[],
  hours: number,
  style: Style,
): string {
  const { times, width } = style
  const span = (hours % 24 === 0 ? counted(hours / 24, 'day') : counted(hours, 'hour')).replace(/^1 /, '')
  if (transitions.length === 0) return `${name}: nothing changes by itself in the next ${span}\n`
  const rows = transitions.map(({ at, type, reason }) => [
    longTime(Date.parse(at), times.zone),
    age(Date.parse(at) - times.now),
    type === 'wake' ? 'wakes' : 'sleeps',
    worded(reason, times),
  ])
  const header = [`WHEN (${zoneOf(times)})`, 'IN', 'WHAT', 'WHY']
  const table = tableText(header, rows, { width, cut: [WHY, WHEN], leave: [IN] })
  return `${folded(`${name}, the next ${span}:`, width)}\n${table}`
}
