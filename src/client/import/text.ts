import type { ImportedConfiguration } from '../../domain/import/configuration.ts'
import { nameOf, type Step } from '../../domain/import/imported-object.ts'
import { oneLine } from '../legible.ts'
import { serialized } from '../output.ts'

/** `mapped        deployment shop/web: adopted asleep, 3 kept; …` */
export function lineOf({ object, verdict, says }: Step): string {
  return `${verdict.padEnd(12)}  ${nameOf(object)}: ${oneLine(says.join('; '))}\n`
}

/** How many of each verdict: `31 mapped, 4 approximated, 2 refused`. */
export function countsOf(steps: readonly Step[]): string {
  return (['mapped', 'approximated', 'refused'] as const)
    .map((verdict) => `${steps.filter((step) => step.verdict === verdict).length} ${verdict}`)
    .join(', ')
}

/** What belongs into the chart's values, with what is left to a person. */
export async function configurationText({
  policies,
  excludeNamespaces,
  byHand,
}: ImportedConfiguration): Promise<string> {
  const config = { policies, ...(excludeNamespaces.length > 0 && { excludeNamespaces }) }
  const notes = byHand.map((each) => `# by hand: ${oneLine(each)}\n`)
  return `\n# Of its arguments and its environment, for the chart's values:\n${notes.join('')}${await serialized('yaml', { config })}`
}
