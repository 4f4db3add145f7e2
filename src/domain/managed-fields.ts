import { namesIn, valueAt } from './json-pointer.ts'

/** The field at a JSON pointer as an entry's `fieldsV1` has it: `/f:spec/f:replicas`. */
export function pointerInFields(field: string): string {
  return field.replaceAll('/', '/f:')
}

/** Whether an entry of managedFields owns the field at a JSON pointer, or a part of it. */
export function owns({ fieldsV1 }: { readonly fieldsV1?: unknown }, field: string): boolean {
  return valueAt(fieldsV1, pointerInFields(field)) !== undefined
}

/** The `fieldsV1` of an entry that owns this field alone: `{"f:spec": {"f:replicas": {}}}`. */
export function fieldsOf(field: string): object {
  return namesIn(field).reduceRight<object>((inner, name) => ({ [`f:${name}`]: inner }), {})
}
