import fc from 'fast-check'
import type { Kind } from '../../src/domain/workload/workload.ts'
import { anyFault, type AnyFault } from '../faults/arbitrary-faults.ts'
import { HANDS } from './hands.ts'
import type { Act } from './act.ts'
import { MOST_ASLEEP } from './counts.ts'
import { PLAYED } from './kinds.ts'
import { OF_MINIMUMS } from './minimums.ts'
import { OF_NAMESPACES } from './namespaces.ts'
import { OPERATIONS } from './operations.ts'
import { ENVIRONMENTS } from './policies.ts'
import { OF_SCALERS } from './scalers.ts'
import { WRITTEN, type Written } from './settings.ts'
import { TEAMS } from './target.ts'
import { WINDOW, type WindowAround } from './windows.ts'

/** Something that happens to one workload. */
interface Deed {
  readonly type: 'deed'
  /** An index into the scenario's workloads. */
  readonly workload: number
  readonly name: string
  readonly args: unknown
}
/** Something that happens to all. */
type WorldEvent =
  | { readonly type: 'pass'; readonly minutes: number }
  | { readonly type: 'rest' }
  | { readonly type: 'terminate' | 'kill'; readonly which: number }
  /** Between a replica and the API server. */
  | { readonly type: 'fault'; readonly which: number; readonly fault: AnyFault }
  | Late
/** Time passes, and a request comes at once: due changes may not be written yet. */
export interface Late {
  readonly type: 'late'
  readonly minutes: number
  readonly workload: number
  readonly action: 'snooze' | 'wake'
  readonly which: number
}
export type Step = Deed | WorldEvent

export interface Born {
  readonly kind: Kind
  readonly team: string
  readonly managed: boolean
  /** The least count of the ScaledObject that a Deployment begins with; null: it has none. */
  readonly scaledFrom: number | null
  /** The minimum of the HPA that a workload with a count begins with; null: it has none. */
  readonly minimum: number | null
  /** The count that it sleeps with; null: none is set. */
  readonly floor: number | null
  readonly window: WindowAround | null
}

export interface Scenario {
  /** The Namespace's initial settings. */
  readonly namespace: { readonly environment: string; readonly written: Written | null }
  readonly workloads: readonly Born[]
  readonly steps: readonly Step[]
}

export interface Size {
  readonly workloads: number
  readonly steps: number
  /** Whether the clock can be moved; otherwise a step waits for the next minute. */
  readonly moves: boolean
}

/** By name; a new operation is one more entry of its table. */
export const ACTS: Readonly<Record<string, Act>> = {
  ...OPERATIONS,
  ...HANDS,
  ...OF_NAMESPACES,
  ...OF_SCALERS,
  ...OF_MINIMUMS,
}

/** Scenarios of so many workloads, of every kind, and so many steps at most. */
export function scenarios({ workloads, steps, moves }: Size): fc.Arbitrary<Scenario> {
  // Some are in the middle of everything.
  const workload = fc.oneof(
    { weight: 3, arbitrary: fc.nat(Math.min(workloads, 8) - 1) },
    { weight: 1, arbitrary: fc.nat(workloads - 1) },
  )
  const deed = fc.oneof(
    ...Object.entries(ACTS).map(([name, { weight, args }]) => ({
      weight,
      arbitrary: fc.record({
        type: fc.constant('deed' as const),
        workload,
        name: fc.constant(name),
        args,
      }),
    })),
  )
  const minutes = fc.oneof(
    { weight: 4, arbitrary: fc.integer({ min: 1, max: 6 }) },
    { weight: 2, arbitrary: fc.integer({ min: 10, max: 90 }) },
    { weight: 1, arbitrary: fc.constantFrom(5 * 60, 13 * 60) },
  )
  const step = fc.oneof<fc.WeightedArbitrary<Step>[]>(
    { weight: 40, arbitrary: deed },
    {
      weight: moves ? 5 : 2,
      arbitrary: fc.record({ type: fc.constant('pass' as const), minutes: moves ? minutes : fc.constant(1) }),
    },
    {
      weight: moves ? 3 : 1,
      arbitrary: fc.record({
        type: fc.constant('late' as const),
        minutes: moves ? minutes : fc.constant(1),
        workload,
        action: fc.constantFrom('snooze' as const, 'wake' as const),
        which: fc.nat(5),
      }),
    },
    { weight: 5, arbitrary: fc.constant({ type: 'rest' as const }) },
    {
      weight: 6,
      arbitrary: fc.record({ type: fc.constant('fault' as const), which: fc.nat(5), fault: anyFault }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        type: fc.constantFrom('terminate' as const, 'kill' as const),
        which: fc.nat(5),
      }),
    },
  )
  const born = fc.record({
    kind: fc.constantFrom(...PLAYED),
    team: fc.constantFrom(...TEAMS),
    managed: fc.constantFrom(true, true, true, false),
    window: fc.option(WINDOW),
    scaledFrom: fc.constantFrom(0, 1, null, null),
    // Most often a floor below the minimum, or none.
    minimum: fc.constantFrom(1, 3, 4, 4, null, null),
    floor: fc.constantFrom(0, 1, 2, 2, MOST_ASLEEP, MOST_ASLEEP, null, null),
  })
  const namespace = fc.record({
    environment: fc.constantFrom(...ENVIRONMENTS, 'prod'),
    written: fc.option(WRITTEN, { freq: 3 }),
  })
  const several = fc.array(step, { maxLength: steps, size: 'max' })
  return fc.record({
    namespace,
    workloads: fc.array(born, { minLength: workloads, maxLength: workloads }),
    steps: moves ? several : several.map(withFewMinutes),
  })
}

/** In a place whose clock cannot be moved each such step takes up to a minute. */
const MINUTES_WAITED = 2

/** The steps without those that wait for a minute, past the first `MINUTES_WAITED`. */
function withFewMinutes(steps: readonly Step[]): Step[] {
  let waited = 0
  return steps.filter(({ type }) => (type !== 'pass' && type !== 'late') || ++waited <= MINUTES_WAITED)
}
