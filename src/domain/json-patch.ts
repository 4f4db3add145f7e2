import { namesIn, valueAt } from './json-pointer.ts'

/** One operation of a JSON Patch (RFC 6902, section 4). */
export type PatchOperation =
  { op: 'test' | 'add' | 'replace'; path: string; value: unknown } | { op: 'remove'; path: string }

/** Gives a map's entry the value, null: removes it; `present`: the value that it has. */
export function setOrRemove(
  path: string,
  value: string | null | undefined,
  present: string | undefined,
): PatchOperation[] {
  if (value === undefined || value === (present ?? null)) return []
  return value === null ? [{ op: 'remove', path }] : [{ op: 'add', path, value }]
}

/**
 * Changes the object as the operations say; false: a test fails, or an operation leads nowhere, or into a list. A test for
 * null passes on what is absent, as for the API server.
 */
export function carryOut(object: object, operations: readonly PatchOperation[]): boolean {
  return operations.every((operation) => isCarriedOut(object, operation))
}

function isCarriedOut(object: object, operation: PatchOperation): boolean {
  const { op, path } = operation
  if (op === 'test') return JSON.stringify(valueAt(object, path) ?? null) === JSON.stringify(operation.value)
  const parent = valueAt(object, path.slice(0, path.lastIndexOf('/')))
  const name = namesIn(path).at(-1)
  if (typeof parent !== 'object' || parent === null || Array.isArray(parent) || name === undefined)
    return false
  const fields = parent as Record<string, unknown>
  if (op !== 'add' && !Object.hasOwn(fields, name)) return false
  if (op === 'remove') delete fields[name]
  else fields[name] = operation.value
  return true
}
