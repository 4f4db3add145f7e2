import { awakeBetween } from '../../test/support/schedules.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

export interface Edge {
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly direction: 'sleep' | 'wake'
}

/** A schedule that is awake before `start`, sleeps then, and changes every `minutes`, `rounds` times there and back. */
export function alternating(start: number, rounds: number, minutes = 1): { schedule: string; edges: Edge[] } {
  const step = minutes * MINUTE
  const edges = Array.from({ length: 2 * rounds }, (_, index): Edge => {
    return { at: start + index * step, direction: index % 2 === 0 ? 'sleep' : 'wake' }
  })
  const wakes = edges.filter(({ direction }) => direction === 'wake')
  const awake = wakes.map(({ at }, index) => awakeBetween(at, index < rounds - 1 ? at + step : at + 6 * HOUR))
  return { schedule: [awakeBetween(start - 6 * HOUR, start), ...awake].join(';'), edges }
}
