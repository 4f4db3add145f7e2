import type { Comparison } from './plan/comparison.ts'
import type { ImportedConfiguration } from './plan/configuration.ts'
import { nameOf, type Step } from './plan/imported-object.ts'
import type { InForce } from './plan/in-force.ts'
import { saysWanted } from './plan/wanted.ts'
import { printable } from '../domain/text.ts'
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

/** Each workload with its count before and after, for a change board; none without any. `width`: characters of a line. */
export async function countsText(
  all: readonly Comparison[],
  force: InForce,
  width: number | undefined,
): Promise<string> {
  if (all.length === 0) return ''
  const { tableText } = await import('../client/text/table.ts')
  const rows = all.map(({ object, before, count }) => {
    const held = force.held(object, object.metadata.annotations ?? {})
    const by = held.enabled ? held.by : 'nobody'
    return [nameOf(object), String(before), String(count), by, held.enabled ? saysWanted(held) : ''].map(
      printable,
    )
  })
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
  return (['mapped', 'approximated', 'refused'] as const)
    .map((verdict) => `${steps.filter((step) => step.verdict === verdict).length} ${verdict}`)
    .join(', ')
}

/** The outcomes of a plan's objects, each counted once: `27 adopted, 3 changed, 2 left as they are, 0 failed`. */
export function outcomesText(steps: readonly Step[], outcomes: readonly Outcome[]): string {
  const became = new Map<string, Outcome['became'] | 'left'>()
  for (const { object, verdict } of steps) if (verdict === 'refused') became.set(nameOf(object), 'left')
  for (const { step, became: now } of outcomes) {
    const name = nameOf(step.object)
    const before = became.get(name)
    if (now === 'failed' || before === undefined) became.set(name, now)
  }
  const count = (of: string) => [...became.values()].filter((each) => each === of).length
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
