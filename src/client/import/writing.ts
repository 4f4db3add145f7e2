import { isDeepStrictEqual } from 'node:util'
import {
  isAtRest,
  nameOf,
  type ImportedObject,
  type MergePatch,
  type Step,
} from '../../domain/import/imported-object.ts'
import { marksOf } from '../../domain/import/marks.ts'
import { REQUEST_ANNOTATION } from '../../domain/requests/annotation.ts'
import { Refusal } from '../../errors.ts'
import type { ClusterObjects, Patched } from '../ports.ts'
import { pathOf } from './resources.ts'

/** Dormouse did not take a request out of a write: it is not there, or too old for that. */
export class DoesNotAnswer extends Refusal {}

/** How often a write is tried that something else was written before: a status, say. */
const TRIES = 5

/**
 * Writes a step, with what webhooks say to it. The patch takes the other tool's marks away, so the count would be lost if
 * nobody adopted it: first the webhook is asked by a dry run, and where it does not answer afterwards, all is put back.
 */
export async function written(
  cluster: ClusterObjects,
  { object, patch = {} }: Step,
  dryRun: boolean,
): Promise<readonly string[]> {
  const request = requestIn(patch)
  if (request !== undefined || dryRun) {
    const { annotations, warnings } = await patched(cluster, object, patch, true)
    if (request !== undefined && annotations[REQUEST_ANNOTATION] === request) throw unanswered(object)
    if (dryRun) return warnings
  }
  const { annotations, warnings } = await patched(cluster, object, patch, false)
  if (request === undefined || annotations[REQUEST_ANNOTATION] !== request) return warnings
  await cluster.patch(pathOf(object), asBefore(patch, object), false)
  throw unanswered(object)
}

/**
 * Patches an object only as it was planned for: one that fell asleep or woke since it was listed, by whomever, needs
 * another patch, and this one could take the only copy of its count away.
 * @throws Refusal NOT_FOUND, CONFLICT
 */
async function patched(
  cluster: ClusterObjects,
  object: ImportedObject,
  patch: MergePatch,
  dryRun: boolean,
): Promise<Patched> {
  const path = pathOf(object)
  for (let left = TRIES; ; left -= 1) {
    const now = await cluster.get<ImportedObject & { metadata: { resourceVersion?: string } }>(path)
    if (!now) throw new Refusal('NOT_FOUND', `there is no ${nameOf(object)}`)
    if (!isAsPlanned(object, { ...now, kind: object.kind }))
      throw new Refusal(
        'CONFLICT',
        'it has changed since it was read, and was left as it is: repeat the import',
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

function isAsPlanned(planned: ImportedObject, now: ImportedObject): boolean {
  return isAtRest(planned) === isAtRest(now) && isDeepStrictEqual(marksOf(planned), marksOf(now))
}

function unanswered(object: ImportedObject): DoesNotAnswer {
  return new DoesNotAnswer(
    'CLUSTER_UNAVAILABLE',
    `Dormouse does not answer, so ${nameOf(object)} was left as it is: is it installed, and new enough?`,
  )
}

function requestIn({ metadata }: MergePatch): string | undefined {
  const annotations = isMap(metadata) ? metadata['annotations'] : undefined
  const request = isMap(annotations) ? annotations[REQUEST_ANNOTATION] : undefined
  return typeof request === 'string' ? request : undefined
}

/** What a merge patch touches, as it was. */
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
