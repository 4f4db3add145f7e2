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
  /** The numbers of workloads that were asked for; undefined: the scenario's own. */
  readonly workloads: readonly number[] | undefined
  /** What it is doing, and how long that takes. */
  readonly say: (line: string) => void
}

export interface Found {
  readonly rows: readonly Measured[]
  readonly growth?: readonly Point[]
}

/** Something that users pay for, measured beside what it is compared with. */
export interface Scenario {
  readonly name: string
  readonly about: string
  /** Of a full run on two cores. */
  readonly minutes: number
  run(context: Context): Promise<Found>
}
