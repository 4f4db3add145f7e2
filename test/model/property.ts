import fc from 'fast-check'
import { print } from '../support/figures.ts'
import { testSeed } from '../support/random.ts'
import type { Player } from './player.ts'
import { scenarios, type Scenario, type Size } from './scenario.ts'

export interface Run {
  readonly numRuns: number
  /** How many scenarios are played at once, in the same world. */
  readonly atOnce?: number
  /** Milliseconds after which it ends with its results: fewer scenarios, or one that could be smaller yet. */
  readonly longest?: number
}

/** The totals of a run of scenarios. */
export interface Sum {
  scenarios: number
  writes: number
  causes: number
}

/**
 * Plays random scenarios. Throws with the smallest scenario that was found for a violation, and how to play it again:
 * `DORMOUSE_TEST_SEED` and `MODEL_PATH`.
 */
export async function holds(player: Player, size: Size, { numRuns, atOnce = 1, longest }: Run): Promise<Sum> {
  const seed = testSeed()
  const path = process.env['MODEL_PATH']
  print([`${numRuns * atOnce} scenarios of ${size.workloads} workloads: DORMOUSE_TEST_SEED=${seed}`])
  let found = false
  const sum: Sum = { scenarios: 0, writes: 0, causes: 0 }
  const several = fc.array(scenarios(size), { minLength: atOnce, maxLength: atOnce })
  const property = fc.asyncProperty(several, async (played: readonly Scenario[]) => {
    const results = await Promise.all(played.map((scenario) => player.play(scenario)))
    for (const { writes, causes } of results) {
      sum.scenarios += 1
      sum.writes += writes
      sum.causes += causes
    }
    const violations = results.flatMap((result) => result.violations)
    const trace = results.flatMap((result) => result.trace)
    if (violations.length === 0) return
    // Print the first one at once: shrinking takes long, and an hour-dependent violation may not come again.
    if (!found) print([...violations, ...trace])
    found = true
    throw new Error([...violations, ...trace].join('\n'))
  })
  await fc.assert(property, {
    numRuns,
    seed,
    ...(path === undefined ? {} : { path }),
    ...(longest === undefined ? {} : { interruptAfterTimeLimit: longest }),
  })
  if (sum.scenarios < numRuns * atOnce) print([`${sum.scenarios} of them were played in time`])
  return sum
}
