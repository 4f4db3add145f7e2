import type { PatchOperation } from '../json-patch.ts'
import { namesIn, stepOf } from '../json-pointer.ts'
import type { Found, Position } from './form.ts'

/** The content of a field that does not have one of its form's values. */
export function foundAt(object: unknown, field: string): Found {
  let value = object
  let path = ''
  for (const name of namesIn(field)) {
    path += `/${stepOf(name)}`
    value = (value as Readonly<Record<string, unknown>>)[name] ?? null
    if (value === null) break
  }
  return { path, value }
}

/** Tests that a field has its value still, or is absent still. */
export function testOf({ found }: Position, path: string, value: unknown): PatchOperation[] {
  return [{ op: 'test', path, value, ...found }]
}

/** Gives a field a value, and makes the objects around it that are absent; undefined: it keeps its own. */
export function operationsOn(
  { found }: Pick<Position, 'found'>,
  field: string,
  value: unknown,
): PatchOperation[] {
  if (value === undefined) return []
  if (!found) return [{ op: 'replace', path: field, value }]
  const below = namesIn(field).slice(namesIn(found.path).length)
  return [
    { op: 'add', path: found.path, value: below.reduceRight((inner, name) => ({ [name]: inner }), value) },
  ]
}
