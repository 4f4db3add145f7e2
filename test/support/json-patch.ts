import type { PatchOperation } from '../../src/domain/json-patch.ts'
import { applyJsonPatch } from '../../src/sandbox/store/patch.ts'
import { StatusError } from '../../src/sandbox/store/status.ts'

/** The object as the API server would leave it; undefined: the patch does not apply. */
export function applied<T>(object: T, patch: readonly PatchOperation[]): T | undefined {
  try {
    return applyJsonPatch(object, patch) as T
  } catch (error) {
    if (error instanceof StatusError) return undefined
    throw error
  }
}
