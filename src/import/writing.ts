import { setTimeout as pause } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import {
  annotating,
  annotationsIn,
  isAtRest,
  nameOf,
  type ImportedObject,
  type MergePatch,
  type Step,
} from './plan/imported-object.ts'
import { entryFor } from './plan/kinds.ts'
import { keptByDormouse, marksOf } from './plan/marks.ts'
import { formatRequest, REQUEST_ANNOTATION } from '../domain/requests/annotation.ts'
import { Refusal } from '../process/errors.ts'
import type { ClusterObjects, Patched } from '../client/ports.ts'
import { pathOf } from './resources.ts'

/** Dormouse did not take a request out of a write: it is not installed, or too old. */
export class DoesNotAnswer extends Refusal {}

/** Attempts at a write, if others change the object in between, its status for example. */
const TRIES = 5
/** Milliseconds between two attempts: Dormouse receives a changed Namespace within them. */
const PAUSE = 500

/**
 * Writes a step. Its patch removes the other tool's annotations, and with them the only copy of the count. So a dry run
 * asks first whether the webhook adopts it; if the webhook does not answer the real write, the patch is undone.
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
 * Removes the temporary annotations of a sleeper, since it now inherits these settings from its Namespace. The write
 * also asks to adopt the count that the sleeper has: Dormouse denies that as long as it has not received the Namespace,
 * since then the workload is unmanaged.
 */
export async function inherited(cluster: ClusterObjects, { object, inherits = {} }: Step): Promise<void> {
  for (let left = TRIES; ; left -= 1) {
    const now = await cluster.get<ImportedObject>(pathOf(object))
    const kept = keptByDormouse(now)
    const request = kept !== undefined && {
      [REQUEST_ANNOTATION]: formatRequest({ request: { action: 'adopt', count: kept } }),
    }
    const patch = annotating({ ...annotationsIn(inherits), ...request })
    try {
      if (!(await leavesRequest(cluster, { object, patch, changeIn: () => undefined }, false))) return
      const withdrawn = { ...annotationsIn(inherits), [REQUEST_ANNOTATION]: null }
      await cluster.patch(pathOf(object), annotating(withdrawn), false)
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

/** Writes a plan. Returns whether its request is still there afterwards: then nobody has carried it out. */
async function leavesRequest(cluster: ClusterObjects, plan: Plan, dryRun: boolean): Promise<boolean> {
  const request = annotationsIn(plan.patch)[REQUEST_ANNOTATION]
  const { annotations } = await patched(cluster, plan, dryRun)
  return request !== undefined && annotations[REQUEST_ANNOTATION] === request
}

/**
 * Patches an object if it is in the state that was planned for. If it fell asleep or woke since it was listed, this
 * patch could remove the only copy of its count.
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

/** Kinds beside the built-in ones may be missing in Dormouse's configuration; it always answers for those. */
function unanswered(object: ImportedObject): Refusal {
  const entry = entryFor(object.kind)
  if (entry !== undefined)
    return new Refusal(
      'CLUSTER_UNAVAILABLE',
      `Dormouse does not answer for it, so it was left as it is: add ${entry} to its kinds (docs/kinds.md)`,
    )
  return new DoesNotAnswer(
    'CLUSTER_UNAVAILABLE',
    `Dormouse does not answer, so ${nameOf(object)} was left as it is: is it installed, and new enough?`,
  )
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
