import { nameOf, type ImportedObject, type Step } from './plan/imported-object.ts'
import type { Comparison } from './plan/comparison.ts'
import type { ImportedConfiguration } from './plan/configuration.ts'
import { messageOf, Refusal, UsageError } from '../process/errors.ts'
import { AlreadyReported } from '../client/commands/already-reported.ts'
import type { Outcome } from './carrying-out.ts'
import { becameOf, verdictsOf } from './text.ts'

/** All that an import found and did so far. */
export class Findings {
  steps: readonly Step[] = []
  configuration: ImportedConfiguration | undefined
  readonly outcomes: Outcome[] = []
  counts: readonly Comparison[] = []
  /** Its messages to people, a line each. */
  readonly messages: string[] = []

  /** The same for programs. `error`: what it ended with. */
  document(
    asked: { from: string; dryRun: boolean; partial: boolean; verify: boolean },
    error?: unknown,
  ): object {
    const { configuration, messages, steps, outcomes } = this
    const became = becameOf(steps, outcomes)
    const failures = outcomes.flatMap((each) => (each.why === undefined ? [] : [each]))
    return {
      ...asked,
      // A step that is only compared is not planned.
      ...(!asked.verify && {
        verdicts: verdictsOf(steps),
        items: steps.map((step) =>
          named(step.object, {
            verdict: step.verdict,
            says: step.says,
            ...(step.recorded !== undefined && { recorded: step.recorded }),
            ...(!asked.dryRun && { became: became.get(nameOf(step.object)) ?? 'unchanged' }),
          }),
        ),
        failures: failures.map(({ step, why }) => named(step.object, { why })),
      }),
      ...(configuration && { configuration }),
      counts: this.counts.map(({ object, before, kept, isKept, by, hours }) =>
        named(object, { before, kept, isKept, by, hours }),
      ),
      messages,
      ...(error !== undefined && { error: { code: codeOf(error), message: messageOf(error) } }),
    }
  }
}

function named<Facts extends object>({ kind, metadata: { namespace, name } }: ImportedObject, facts: Facts) {
  return { kind, ...(namespace !== undefined && { namespace }), name, ...facts }
}

/** `NOT_DONE`: the messages say why. */
function codeOf(error: unknown): string {
  if (error instanceof AlreadyReported) return 'NOT_DONE'
  if (error instanceof UsageError) return 'USAGE'
  return error instanceof Refusal ? error.code : 'FAILED'
}
