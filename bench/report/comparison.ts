import type { Told } from '../measure/raw.ts'
import { median } from './figures.ts'
import type { Bar, Measured } from './row.ts'

/** What the same load was answered with: by us, and by what we are compared with, in turn. */
export interface Turns {
  /** What was measured: `snooze, 32 at once`. */
  readonly what: string
  readonly ours: readonly Told[]
  /** What we are compared with, by its name. */
  readonly name: string
  readonly theirs: readonly Told[]
}

/** The medians of one figure of both: `what` says which. */
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
