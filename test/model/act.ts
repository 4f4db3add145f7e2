import type fc from 'fast-check'
import type { Target } from './target.ts'

/** An action on a workload, or on its namespace. */
export interface Act<Args = unknown> {
  readonly weight: number
  readonly args: fc.Arbitrary<Args>
  run(target: Target, args: Args): Promise<unknown>
}

export function act<Args>(weight: number, args: fc.Arbitrary<Args>, run: Act<Args>['run']): Act<Args> {
  return { weight, args, run }
}
