import type { Told } from '../measure/raw.ts'
import { median } from './figures.ts'
import type { Bar, Measured } from './row.ts'

/** The answers to the same load: ours and the comparison's, in turn. */
export interface Turns {
  /** The measured load: `snooze, 32 at once`. */
  readonly what: string
  readonly ours: readonly Told[]
  /** The comparison's name. */
  readonly name: string
  readonly theirs: readonly Told[]
}

/** The medians of one figure of both; `what`: the figure's name. */
export function compared(
  { what: load, ours, name, theirs }: Turns,
  {
    what,
    unit,
    get,
    bar,
  }: { what: string; unit: string; get: (told: Told) => number; bar?: Bar | undefined },
): Measured {
  return {
    what: `${load}: ${what}`,
    figure: median(ours.map(get)),
    unit,
    reference: { name, figure: median(theirs.map(get)) },
    ...(bar && { bar }),
  }
}
