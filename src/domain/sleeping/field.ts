import type { PatchOperation } from '../json-patch.ts'
import type { Placed } from './form.ts'

/** Tests that a field has its value still, or is absent still. */
export function testOf({ configured }: Placed, path: string, value: unknown): PatchOperation[] {
  return [{ op: 'test', path, value: configured?.isUnset ? null : value }]
}

/** Gives a field a value; undefined: it keeps its own. */
export function operationsOn({ configured }: Placed, path: string, value: unknown): PatchOperation[] {
  return value === undefined ? [] : [{ op: configured?.isUnset ? 'add' : 'replace', path, value }]
}
