import { isDeepStrictEqual } from 'node:util'
import jsonpatch from 'fast-json-patch'
import { clone, isRecord } from './object.ts'
import { badRequest, patchRejected, StatusError } from './status.ts'

const LARGEST = 10_000

/**
 * RFC 6902 as the API server applies it. `test` is our own: there, null equals an absent key of a map that
 * exists, which no library for JavaScript says.
 * @throws StatusError 400 for what is no patch, 413 for too many operations, 422 for one that does not apply
 */
export function applyJsonPatch(document: unknown, patch: unknown): unknown {
  if (!Array.isArray(patch)) throw badRequest('a JSON Patch is an array of operations')
  if (patch.length > LARGEST)
    throw new StatusError(
      413,
      `The allowed maximum operations in a JSON patch is ${LARGEST}, got ${patch.length}`,
    )
  let patched = clone(document)
  for (const operation of patch) {
    if (!isRecord(operation)) throw badRequest('an operation of a JSON Patch is an object')
    if (operation['op'] === 'test') test(patched, operation)
    else patched = applied(patched, operation)
  }
  return patched
}

function applied(document: unknown, operation: Record<string, unknown>): unknown {
  try {
    // The library checks the operation's shape itself, as told by the third argument.
    const unchecked: jsonpatch.Operation = JSON.parse(JSON.stringify(operation))
    return jsonpatch.applyOperation(document, unchecked, true, true).newDocument
  } catch {
    throw patchRejected()
  }
}

function test(document: unknown, operation: Record<string, unknown>): void {
  const path = operation['path']
  if (typeof path !== 'string' || (path !== '' && !path.startsWith('/'))) throw patchRejected()
  const steps = path
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
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
