import { setTimeout as sleep } from 'node:timers/promises'
import { planStep } from '../../src/domain/deciding/operation.ts'
import { trimmed } from './kinds.ts'
import type { RulesInForce } from './rules-in-force.ts'
import { minimumDue } from './minimums.ts'
import { pauseDue } from './scalers.ts'
import type { Target } from './target.ts'

/** How long it takes to be sure, and how long to give up, in milliseconds. */
export interface Patience {
  readonly quiet: number
  readonly longest: number
}

/**
 * Resolves once nothing was written for a while and the model would write nothing; otherwise names the parts not at
 * rest although nothing happened for `longest`.
 */
export async function restOf(
  targets: readonly Target[],
  rules: RulesInForce,
  { quiet, longest }: Patience,
): Promise<string[]> {
  const [first] = targets
  if (!first) return []
  const { observed, world, key } = first
  // The watch may not have delivered the latest actions yet.
  const begun = performance.now()
  for (;;) {
    const restless = targets.filter((target) => isDue(target, rules))
    const waited = performance.now() - begun
    const isQuiet = restless.length === 0 && Math.min(waited, observed.quiet) > quiet
    // Dormouse has to react to new events first.
    const isAtRest = isQuiet && (await observed.isCurrent(world.cluster, key.namespace))
    if (isAtRest && !targets.some((target) => isDue(target, rules))) return []
    if (waited > longest) {
      if (restless.length === 0) return [`still written to after ${longest / 1000} s`]
      return restless.map((target) => `${target.title} is not at rest: ${due(target, rules)}`)
    }
    await sleep(50)
  }
}

function isDue(target: Target, rules: RulesInForce): boolean {
  return stepOf(target, rules)?.change !== undefined || besideDue(target, rules) !== undefined
}

function due(target: Target, rules: RulesInForce): string {
  const pause = besideDue(target, rules)
  if (pause !== undefined) return pause
  const { decision, change } = stepOf(target, rules) ?? {}
  return `${decision?.action} because ${decision?.reason.text}; ${JSON.stringify(change)}`
}

function besideDue(target: Target, rules: RulesInForce): string | undefined {
  return pauseDue(target, rules) ?? minimumDue(target, rules)
}

function stepOf(target: Target, rules: RulesInForce) {
  const { latest } = target
  if (!latest) return undefined
  const workload = trimmed(target.key.kind, latest)
  return planStep(workload, target.world.now, rules.now)
}
