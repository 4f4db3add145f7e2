import { setTimeout as pause } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { isAtRest, nameOf, type ImportedObject, type MergePatch, type Step } from './plan/imported-object.ts'
import { keptByDormouse, marksOf } from './plan/marks.ts'
import { formatRequest, REQUEST_ANNOTATION } from '../domain/requests/annotation.ts'
import { Refusal } from '../process/errors.ts'
import type { ClusterObjects, Patched } from '../client/ports.ts'
import { pathOf } from './resources.ts'

/** Dormouse did not take a request out of a write: it is not there, or too old for that. */
export class DoesNotAnswer extends Refusal {}

/** Attempts at a write whose object was changed by others in between, say its status. */
const TRIES = 5
/** Milliseconds in which Dormouse hears of a Namespace. */
const PAUSE = 500

/**
 * Writes a step. The patch takes the other tool's marks away, so the count would be lost if nobody adopted it: first the
 * webhook is asked by a dry run, and where it does not answer afterwards, all is put back.
 */
export async function written(cluster: ClusterObjects, step: Step, dryRun: boolean): Promise<void> {
  const { object, patch = {} } = step
  const plan: Plan = { object, patch, changeIn: (now) => changeIn(object, now) }
  if (isAdoption(step) || dryRun) {
    const isLeft = await leavesRequest(cluster, plan, true)
    if (isLeft) throw unanswered(object)
    if (dryRun) return
  }
  if (!(await leavesRequest(cluster, plan, false))) return
  await cluster.patch(pathOf(object), asBefore(patch, object), false)
  throw unanswered(object)
}

/**
 * Removes the temporary settings of a sleeper that it now inherits from its Namespace. The write also asks to adopt the
 * count that it has: a Dormouse that has not received the Namespace yet, and so finds the workload unmanaged, then
 * denies it.
 */
export async function inherited(cluster: ClusterObjects, { object, inherits = {} }: Step): Promise<void> {
  for (let left = TRIES; ; left -= 1) {
    const now = await cluster.get<ImportedObject>(pathOf(object))
    const kept = keptByDormouse(now)
    const request =
      kept === undefined
        ? {}
        : { [REQUEST_ANNOTATION]: formatRequest({ request: { action: 'adopt', count: kept } }) }
    const patch = { metadata: { annotations: { ...annotationsIn(inherits), ...request } } }
    try {
      if (!(await leavesRequest(cluster, { object, patch, changeIn: () => undefined }, false))) return
      const withdrawn = {
        metadata: { annotations: { ...annotationsIn(inherits), [REQUEST_ANNOTATION]: null } },
      }
      await cluster.patch(pathOf(object), withdrawn, false)
      return
    } catch (error) {
      if (left <= 1 || !(error instanceof Refusal) || error.code === 'NOT_FOUND') throw error
      await pause(PAUSE)
    }
  }
}

/** Whether a step asks Dormouse to adopt. */
export function isAdoption({ patch = {} }: Pick<Step, 'patch'>): boolean {
  return annotationsIn(patch)[REQUEST_ANNOTATION] !== undefined
}

interface Plan {
  readonly object: ImportedObject
  readonly patch: MergePatch
  readonly changeIn: (now: ImportedObject) => string | undefined
}

/** Writes it, and whether a request that it brings is still there: then nobody has carried it out. */
async function leavesRequest(cluster: ClusterObjects, plan: Plan, dryRun: boolean): Promise<boolean> {
  const request = annotationsIn(plan.patch)[REQUEST_ANNOTATION]
  const { annotations } = await patched(cluster, plan, dryRun)
  return request !== undefined && annotations[REQUEST_ANNOTATION] === request
}

/**
 * Patches an object only in the state that it was planned for: if it fell asleep or woke since it was listed, it needs
 * another patch, and this one could remove the only copy of its count.
 * @throws Refusal NOT_FOUND, CONFLICT
 */
async function patched(
  cluster: ClusterObjects,
  { object, patch, changeIn }: Plan,
  dryRun: boolean,
): Promise<Patched> {
  const path = pathOf(object)
  for (let left = TRIES; ; left -= 1) {
    const now = await cluster.get<ImportedObject & { metadata: { resourceVersion?: string } }>(path)
    if (!now) throw new Refusal('NOT_FOUND', `there is no ${nameOf(object)}`)
    const change = changeIn({ ...now, kind: object.kind })
    if (change !== undefined)
      throw new Refusal(
        'CONFLICT',
        `it has changed since it was read, and was left as it is (${change}): repeat the import`,
      )
    const { resourceVersion } = now.metadata
    const metadata = {
      ...(patch['metadata'] as MergePatch | undefined),
      ...(resourceVersion && { resourceVersion }),
    }
    try {
      return await cluster.patch(path, { ...patch, metadata }, dryRun)
    } catch (error) {
      if (left <= 1 || !(error instanceof Refusal) || error.details['status'] !== 409) throw error
    }
  }
}

/** The relevant change since the plan was made; undefined: none. */
function changeIn(planned: ImportedObject, now: ImportedObject): string | undefined {
  if (!isDeepStrictEqual(marksOf(planned), marksOf(now))) return "the tool's annotations differ"
  // A workload that Dormouse put to sleep, then or since, has its count in the state.
  const isOurs = keptByDormouse(planned) !== undefined || keptByDormouse(now) !== undefined
  if (isOurs || isAtRest(planned) === isAtRest(now)) return undefined
  return isAtRest(now) ? 'it is asleep now' : 'it is awake now'
}

/** A configured kind may be missing in Dormouse's configuration; for other kinds it always answers. */
function unanswered(object: ImportedObject): Refusal {
  if (object.kind === 'Rollout')
    return new Refusal(
      'CLUSTER_UNAVAILABLE',
      'Dormouse does not answer for it, so it was left as it is: add rollouts.argoproj.io to its kinds (docs/kinds.md)',
    )
  return new DoesNotAnswer(
    'CLUSTER_UNAVAILABLE',
    `Dormouse does not answer, so ${nameOf(object)} was left as it is: is it installed, and new enough?`,
  )
}

function annotationsIn({ metadata }: MergePatch): MergePatch {
  const annotations = isMap(metadata) ? metadata['annotations'] : undefined
  return isMap(annotations) ? annotations : {}
}

/** The fields of a merge patch with their former values. */
function asBefore(patch: MergePatch, object: unknown): MergePatch {
  const before = isMap(object) ? object : {}
  return Object.fromEntries(
    Object.entries(patch).map(([name, value]) => [
      name,
      isMap(value) ? asBefore(value, before[name]) : (before[name] ?? null),
    ]),
  )
}

function isMap(value: unknown): value is MergePatch {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
