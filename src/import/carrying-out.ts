import { canSleep, type ImportedObject, type Step } from './plan/imported-object.ts'
import { messageOf, Refusal } from '../process/errors.ts'
import type { ClusterObjects } from '../client/ports.ts'
import { pathOf } from './resources.ts'
import { DoesNotAnswer, inherited, isAdoption, written } from './writing.ts'

/** The outcome of a step. */
export interface Outcome {
  readonly step: Step
  /** Adopted: asleep, with its count. Gone: others deleted it since it was listed. */
  readonly became: 'adopted' | 'changed' | 'gone' | 'failed'
  /** Why it failed. */
  readonly why?: string
}

/**
 * Carries out the steps. Sleepers are adopted first, and a Namespace is annotated last: no schedule may meet a sleeper
 * that is not adopted, or an awake workload that is not excluded yet. A failed step leaves its object as it was, and
 * the others go on; if Dormouse does not answer, the import ends. Final removals happen only if nothing failed.
 * `signal` ends the import between two writes.
 */
export async function* carryOut(
  cluster: ClusterObjects,
  steps: readonly Step[],
  dryRun: boolean,
  signal: AbortSignal,
): AsyncGenerator<Outcome> {
  const failures = new Failures()
  const carriedOut = async (step: Step, write: () => Promise<void>): Promise<Outcome> => {
    signal.throwIfAborted()
    const outcome = await tried(step, write)
    if (outcome.became === 'failed') failures.add(step.object)
    return outcome
  }
  const closed = await closedNamespaces(cluster, steps, signal)
  for (const step of inOrder(steps)) {
    const why = closed.get(namespaceOf(step.object)) ?? failures.before(step)
    yield await carriedOut(step, why === undefined ? () => written(cluster, step, dryRun) : refusing(why))
  }
  // A dry run does not see settings of the Namespace that were not written.
  if (!dryRun)
    for (const step of steps.filter(({ inherits }) => inherits))
      if (!failures.in(step.object)) yield await carriedOut(step, () => inherited(cluster, step))
  for (const step of steps.filter(({ afterwards, goes }) => afterwards ?? goes)) {
    const last = { ...step, patch: step.afterwards ?? {} }
    const remove = async () => (dryRun ? undefined : cluster.remove(pathOf(step.object)))
    const write = step.goes ? remove : async () => written(cluster, last, dryRun)
    yield await carriedOut(last, failures.any ? refusing('it stays, since not all was done') : write)
  }
}

/** The first sleeper that Dormouse would not adopt, since it does not manage it; asked by dry runs alone. */
export async function firstUnmanaged(
  cluster: ClusterObjects,
  steps: readonly Step[],
  signal: AbortSignal,
): Promise<ImportedObject | undefined> {
  for (const step of steps.filter(isAdoption)) {
    signal.throwIfAborted()
    const { why = '' } = await tried(step, () => written(cluster, step, true))
    if (why.includes(NOT_MANAGED)) return step.object
  }
  return undefined
}

/** The webhook's answer begins with this (`domain/requests/refusals.ts`). */
const NOT_MANAGED = 'not managed by Dormouse'

/** Whether a step gives hours to a Namespace. A refused Namespace gets none. */
function isOpening({ object, verdict }: Step): boolean {
  return object.kind === 'Namespace' && verdict !== 'refused'
}

/** The steps with a patch: adoptions, then other objects, then Namespaces. */
function inOrder(steps: readonly Step[]): Step[] {
  const rank = (step: Step) => (isAdoption(step) ? 0 : step.object.kind === 'Namespace' ? 2 : 1)
  return steps.filter(({ patch, goes }) => patch && !goes).toSorted((a, b) => rank(a) - rank(b))
}

/** Namespaces that cannot be written, and why. Nothing in them is changed: half an import is none. */
async function closedNamespaces(
  cluster: ClusterObjects,
  steps: readonly Step[],
  signal: AbortSignal,
): Promise<Map<string, string>> {
  const closed = new Map<string, string>()
  for (const step of steps) {
    const patch = step.patch ?? step.afterwards
    if (step.object.kind !== 'Namespace' || !patch) continue
    signal.throwIfAborted()
    const { became, why } = await tried(step, () => written(cluster, { ...step, patch }, true))
    const says = `its namespace is left as it is, since that cannot be written: ${why}`
    if (became === 'failed') closed.set(namespaceOf(step.object), says)
  }
  return closed
}

class Failures {
  readonly #targets = new Set<string>()

  get any(): boolean {
    return this.#targets.size > 0
  }

  add(object: ImportedObject): void {
    this.#targets.add(targetOf(object))
    if (canSleep(object)) this.#targets.add(`${namespaceOf(object)}/`)
  }

  /** Whether the object's own step failed, or that of its Namespace. */
  in(object: ImportedObject): boolean {
    return this.#targets.has(targetOf(object)) || this.#targets.has(`/${namespaceOf(object)}`)
  }

  /** Why a step is left out after others failed; undefined: it is not. */
  before(step: Step): string | undefined {
    const { object } = step
    if (object.kind === 'ScaledObject' && this.#targets.has(targetOf(object)))
      return 'it stays, since its workload was not taken over'
    if (isOpening(step) && this.#targets.has(`${object.metadata.name}/`))
      return 'it is not annotated, since not all in it was taken over: what was has its hours as its own'
    return undefined
  }
}

function namespaceOf({ kind, metadata: { namespace = '', name } }: ImportedObject): string {
  return kind === 'Namespace' ? name : namespace
}

/** The workload that a step is about; for a ScaledObject, the workload that it scales. */
function targetOf({ kind, metadata: { namespace = '', name }, spec }: ImportedObject): string {
  return `${namespace}/${kind === 'ScaledObject' ? (spec?.scaleTargetRef?.name ?? '') : name}`
}

function refusing(why: string): () => Promise<void> {
  return async () => {
    throw new Refusal('CONFLICT', why)
  }
}

async function tried(step: Step, write: () => Promise<void>): Promise<Outcome> {
  try {
    await write()
    return { step, became: isAdoption(step) ? 'adopted' : 'changed' }
  } catch (error) {
    if (error instanceof DoesNotAnswer) throw error
    // A deleted workload needs no count.
    if (error instanceof Refusal && error.code === 'NOT_FOUND') return { step, became: 'gone' }
    return { step, became: 'failed', why: messageOf(error) }
  }
}
