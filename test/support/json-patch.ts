import { isDeepStrictEqual } from 'node:util'
import fastJsonPatch from 'fast-json-patch'
import type { PatchOperation } from '../../src/domain/patch.ts'

/**
 * RFC 6902 as the API server applies it, which alone differs in `test`: null passes on a key that is absent
 * from a map that exists, and nothing passes below a map that does not. undefined: the patch does not apply.
 */
export function applied<T>(object: T, patch: readonly PatchOperation[]): T | undefined {
  let document = structuredClone(object)
  try {
    for (const operation of patch) {
      if (operation.op === 'test') {
        if (!passes(document, operation)) return undefined
      } else {
        document = fastJsonPatch.applyOperation(document, structuredClone(operation), true).newDocument
      }
    }
  } catch {
    return undefined
  }
  return document
}

function passes(document: unknown, { path, value }: { path: string; value: unknown }): boolean {
  const steps = path
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
  let found: unknown = document
  for (const [index, step] of steps.entries()) {
    if (typeof found !== 'object' || found === null) return false
    const child: unknown = (found as Record<string, unknown>)[step]
    if (child === undefined && index === steps.length - 1) return value === null
    found = child
  }
  return isDeepStrictEqual(found, value)
}
