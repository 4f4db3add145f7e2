import type { ImportedObject, Step } from '../../domain/import/imported-object.ts'
import { messageOf, Refusal } from '../../errors.ts'
import type { ClusterObjects } from '../ports.ts'
import { pathOf } from './resources.ts'
import { DoesNotAnswer, written } from './writing.ts'

/** What became of a step. */
export interface Outcome {
  readonly step: Step
  /** What Dormouse said to it. */
  readonly says: readonly string[]
  /** undefined: it is done. */
  readonly failed?: string
}

/**
 * Carries steps out in their order. What fails is told and left as it was, and others go on; but where Dormouse does not
 * answer, all ends. What goes afterwards goes only when nothing failed. `signal` ends it between two writes.
 */
export async function* carryOut(
  cluster: ClusterObjects,
  steps: readonly Step[],
  dryRun: boolean,
  signal: AbortSignal,
): AsyncGenerator<Outcome> {
  const failed = new Set<string>()
  const changed = new Set(
    steps.flatMap(({ object, patch }) => (object.kind === 'Namespace' && patch ? object.metadata.name : [])),
  )
  const first = steps.filter(({ patch, goes }) => patch !== undefined && goes !== true)
  const later = steps.flatMap(({ afterwards, ...step }) => (afterwards ? { ...step, patch: afterwards } : []))
  for (const step of [...first, ...later, ...steps.filter(({ goes }) => goes === true)]) {
    // What a workload inherits from a Namespace that is not changed yet, a dry run cannot know.
    if (dryRun && changed.has(step.object.metadata.namespace ?? '')) continue
    signal.throwIfAborted()
    const why = whyNot(step, !first.includes(step), failed)
    const outcome = why === undefined ? await tried(cluster, step, dryRun) : { step, says: [], failed: why }
    if (outcome.failed !== undefined) failed.add(targetOf(step.object))
    yield outcome
  }
}

/** Why it is not done, since others failed; undefined: it is. */
function whyNot({ object }: Step, isLater: boolean, failed: ReadonlySet<string>): string | undefined {
  if (isLater && failed.size > 0) return 'it stays, since not all was done'
  if (object.kind === 'ScaledObject' && failed.has(targetOf(object)))
    return 'it stays, since its workload was not taken over'
  return undefined
}

/** The workload, as what scales it names it. */
function targetOf({ kind, metadata: { namespace = '', name }, spec }: ImportedObject): string {
  return `${namespace}/${kind === 'ScaledObject' ? (spec?.scaleTargetRef?.name ?? '') : name}`
}

async function tried(cluster: ClusterObjects, step: Step, dryRun: boolean): Promise<Outcome> {
  try {
    if (step.goes !== true) return { step, says: await written(cluster, step, dryRun) }
    if (!dryRun) await cluster.remove(pathOf(step.object))
    return { step, says: [] }
  } catch (error) {
    if (error instanceof DoesNotAnswer) throw error
    // It went since it was listed, and its count with it.
    if (error instanceof Refusal && error.code === 'NOT_FOUND')
      return { step, says: ['it is gone meanwhile'] }
    return { step, says: [], failed: messageOf(error) }
  }
}
