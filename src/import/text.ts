import type { Comparison } from './plan/comparison.ts'
import type { ImportedConfiguration } from './plan/configuration.ts'
import { nameOf, type Step } from './plan/imported-object.ts'
import { printable } from '../process/printable.ts'
import { serialized } from '../client/output.ts'
import type { Outcome } from './carrying-out.ts'

/** `mapped        deployment shop/web: adopted asleep, 3 kept; …` */
export function lineOf({ object, verdict, says }: Step): string {
  return line(`${verdict.padEnd(12)}  ${nameOf(object)}: ${says.join('; ')}`)
}

/** `error: deployment shop/web: its namespace is left as it is, …` */
export function failureLine({ step: { object }, why = '' }: Outcome): string {
  return line(`error: ${nameOf(object)}: ${why}`)
}

/** `kept          deployment shop/web: asleep, 3 kept` */
export function comparisonLine({ object, isKept, says }: Comparison): string {
  return line(`${(isKept ? 'kept' : 'differs').padEnd(12)}  ${nameOf(object)}: ${says}`)
}

/** A table for a change board; '' without any counts. `width`: characters of a line. */
export async function countsText(counts: readonly Comparison[], width: number | undefined): Promise<string> {
  if (counts.length === 0) return ''
  const { tableText } = await import('../client/text/table.ts')
  const rows = counts.map(({ object, before, kept, by, hours }) =>
    [nameOf(object), String(before), String(kept), by ?? 'nobody', hours ?? ''].map(printable),
  )
  const header = ['WORKLOAD', 'BEFORE', 'KEPT', 'MANAGED BY', 'HOURS']
  return `\n${tableText(header, rows, { width, cut: [4, 3] })}`
}

/** `every count is kept: 27 compared` */
export function comparisonsText(all: readonly Comparison[]): string {
  const differ = all.filter(({ isKept }) => !isKept).length
  if (all.length === 0) return 'no count was recorded: nothing to compare'
  return differ === 0
    ? `every count is kept: ${all.length} compared`
    : `${differ} of ${all.length} counts differ`
}

/** How many of each verdict: `31 mapped, 4 approximated, 2 refused`. */
export function countsOf(steps: readonly Step[]): string {
  return Object.entries(verdictsOf(steps))
    .map(([verdict, count]) => `${count} ${verdict}`)
    .join(', ')
}

export function verdictsOf(steps: readonly Step[]): Record<Step['verdict'], number> {
  const count = (of: Step['verdict']) => steps.filter(({ verdict }) => verdict === of).length
  return { mapped: count('mapped'), approximated: count('approximated'), refused: count('refused') }
}

/** The outcome of each object of a plan, by its name. `left`: it was refused. */
export function becameOf(
  steps: readonly Step[],
  outcomes: readonly Outcome[],
): Map<string, Outcome['became'] | 'left'> {
  const became = new Map<string, Outcome['became'] | 'left'>()
  for (const { object, verdict } of steps) if (verdict === 'refused') became.set(nameOf(object), 'left')
  for (const { step, became: now } of outcomes) {
    const name = nameOf(step.object)
    if (now === 'failed' || !became.has(name)) became.set(name, now)
  }
  return became
}

/** `27 adopted, 3 changed, 2 left as they are, 0 failed` */
export function outcomesText(steps: readonly Step[], outcomes: readonly Outcome[]): string {
  const all = [...becameOf(steps, outcomes).values()]
  const count = (of: string) => all.filter((each) => each === of).length
  const gone = count('gone') === 0 ? '' : `, ${count('gone')} gone meanwhile`
  return `${count('adopted')} adopted, ${count('changed')} changed, ${count('left')} left as they are, ${count('failed')} failed${gone}`
}

/** The part for the chart's values, and the parts left to a person. */
export async function configurationText({
  policies,
  excludeNamespaces,
  byHand,
}: ImportedConfiguration): Promise<string> {
  if (policies.length + excludeNamespaces.length + byHand.length === 0) return ''
  const config = {
    ...(policies.length > 0 && { policies }),
    ...(excludeNamespaces.length > 0 && { excludeNamespaces }),
  }
  const notes = byHand.map((each) => line(`# by hand: ${each}`))
  if (Object.keys(config).length === 0) return `\n${notes.join('')}`
  return `\n# Of its arguments and its environment, for the chart's values:\n${notes.join('')}${await serialized('yaml', { config })}`
}

/** Keeps names, keys and values on one line: they come from anybody who may write in a namespace. */
function line(text: string): string {
  return `${printable(text)}\n`
}
