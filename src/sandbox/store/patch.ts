import { isDeepStrictEqual } from 'node:util'
import jsonpatch from 'fast-json-patch'
import { applyMergePatch, applyStrategicMergePatch } from './merge-patch.ts'
import { isRecord } from './object.ts'
import type { Resource } from './resources.ts'
import { badRequest, StatusError } from './status.ts'

const LARGEST = 10_000
const STRATEGIC = 'application/strategic-merge-patch+json'
const BY_MEDIA_TYPE: Record<string, (document: unknown, patch: unknown) => unknown> = {
  'application/json-patch+json': applyJsonPatch,
  'application/merge-patch+json': applyMergePatch,
  [STRATEGIC]: applyStrategicMergePatch,
}

/**
 * Reads the body of a PATCH; the function returned applies it to a document. A custom resource has no strategic merge.
 * @throws StatusError 415
 */
export function patchFrom(
  mediaType: string,
  patch: unknown,
  { custom }: Pick<Resource, 'custom'>,
): (document: object) => unknown {
  const types = Object.keys(BY_MEDIA_TYPE).filter((type) => !(custom && type === STRATEGIC))
  const apply = types.includes(mediaType) ? BY_MEDIA_TYPE[mediaType] : undefined
  if (apply) return (document) => apply(document, patch)
  if (mediaType.startsWith('application/apply-patch+'))
    throw new StatusError(
      415,
      'the sandbox does not support server-side apply: use kubectl apply without --server-side, or a real cluster',
    )
  throw new StatusError(
    415,
    `the body of the request was in an unknown format - accepted media types include: ${types.join(', ')}`,
  )
}

/**
 * RFC 6902 as the API server applies it. We evaluate `test` ourselves: to the API server, null equals an absent
 * key of a map that exists, which no library for JavaScript offers.
 * @throws StatusError 400 if it is not a JSON Patch, 413 for too many operations, 422 if one does not apply
 */
export function applyJsonPatch(document: unknown, patch: unknown): unknown {
  if (!Array.isArray(patch)) throw badRequest('a JSON Patch is an array of operations')
  if (patch.length > LARGEST)
    throw new StatusError(
      413,
      `The allowed maximum operations in a JSON patch is ${LARGEST}, got ${patch.length}`,
    )
  let patched: unknown = structuredClone(document)
  for (const operation of patch) {
    if (!isRecord(operation)) throw badRequest('an operation of a JSON Patch is an object')
    if (operation['op'] === 'test') check(patched, operation)
    else patched = applied(patched, operation)
  }
  return patched
}

function applied(document: unknown, operation: Record<string, unknown>): unknown {
  try {
    // The third argument makes the library check the operation's shape.
    const unchecked: jsonpatch.Operation = JSON.parse(JSON.stringify(operation))
    return jsonpatch.applyOperation(document, unchecked, true, true).newDocument
  } catch {
    throw patchRejected()
  }
}

function check(document: unknown, operation: Record<string, unknown>): void {
  const path = operation['path']
  if (typeof path !== 'string' || (path !== '' && !path.startsWith('/'))) throw patchRejected()
  const steps = path.split('/').slice(1).map(jsonpatch.unescapePathComponent)
  const last = steps.pop()
  let parent = document
  for (const step of steps) parent = child(parent, step)
  const value = last === undefined ? document : child(parent, last)
  if (last !== undefined && (typeof parent !== 'object' || parent === null)) throw patchRejected()
  if (!isDeepStrictEqual(value ?? null, operation['value'] ?? null)) throw patchRejected()
}

function child(parent: unknown, step: string): unknown {
  if (Array.isArray(parent)) {
    if (!/^(0|[1-9]\d*)$/.test(step) || Number(step) >= parent.length) throw patchRejected()
    const items: unknown[] = parent
    return items[Number(step)]
  }
  return isRecord(parent) && Object.hasOwn(parent, step) ? parent[step] : undefined
}

/** The API server answers a JSON Patch that does not apply, a failed `test` included, with no more than this. */
const patchRejected = () =>
  new StatusError(422, 'the server rejected our request due to an error in our request')
