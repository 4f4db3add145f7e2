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
