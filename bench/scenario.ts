import type { Programs } from '../test/control-plane/programs.ts'
import type { Point } from './report/results.ts'
import type { Measured } from './report/row.ts'

/** How a scenario is run. */
export interface Context {
  readonly programs: Programs
  /** Small numbers, to see that it works. */
  readonly quick: boolean
  /** How often what alternates is measured. */
  readonly rounds: number
  /** The requested numbers of workloads; undefined: the scenario's own. */
  readonly workloads: readonly number[] | undefined
  /** Prints the present step, and how long it takes. */
  readonly say: (line: string) => void
}

export interface Found {
  readonly rows: readonly Measured[]
  readonly growth?: readonly Point[]
}

/** A cost for users, measured beside a comparison. */
export interface Scenario {
  readonly name: string
  readonly about: string
  /** For a full run on two cores. */
  readonly minutes: number
  run(context: Context): Promise<Found>
}

/** Once to warm up, which counts for nothing, and then `rounds` times. */
export async function inRounds(
  { rounds, say }: Pick<Context, 'rounds' | 'say'>,
  measure: (counts: boolean) => Promise<void>,
): Promise<void> {
  for (let round = 0; round <= rounds; round++) {
    say(round === 0 ? 'warming up' : `round ${round} of ${rounds}`)
    await measure(round > 0)
  }
}
