import { isDeepStrictEqual } from 'node:util'
import { isRecord } from './object.ts'
import type { FieldSet, JsonRecord, KubeObject, ManagedFieldsEntry } from './object.ts'

export interface Writer {
  manager: string
  subresource?: string
  /** RFC 3339. */
  time: string
  apiVersion: string
}

/** Metadata that the server sets; no manager owns it. */
const SERVERS = new Set([
  'name',
  'generateName',
  'namespace',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'managedFields',
  'selfLink',
])

/**
 * Records which manager last set which field: a changed field moves from all other entries to the writer's.
 * A list counts as one field, which is coarser than a real server, where items are followed by their keys.
 * If the write itself contains entries, they are the base, so that what a patch removed from them stays removed.
 * Source: the API concepts page "Server-Side Apply", field management.
 */
export function managedFields(
  previous: KubeObject | undefined,
  next: KubeObject,
  writer: Writer,
): ManagedFieldsEntry[] {
  const brought = next.metadata.managedFields
  if (brought?.length === 1 && isDeepStrictEqual(brought[0], {})) return []
  const known = previous?.metadata.managedFields ?? []
  const base = brought === undefined || brought.length === 0 ? known : brought
  const { changed, removed } = difference(previous ? fieldsOf(previous) : {}, fieldsOf(next))
  if (isEmpty(changed) && isEmpty(removed)) return tidy(base)

  const own = base.find((entry) => isOf(entry, writer))
  const taken = union(changed, removed)
  const others = base.filter((entry) => entry !== own).map((entry) => without(entry, taken))
  const fields = union(subtract(own?.fieldsV1 ?? {}, removed), changed)
  if (own && isDeepStrictEqual(fields, own.fieldsV1)) return tidy([...others, own])
  const entry: ManagedFieldsEntry = {
    manager: writer.manager,
    operation: 'Update',
    apiVersion: writer.apiVersion,
    time: writer.time,
    fieldsType: 'FieldsV1',
    fieldsV1: fields,
    ...(writer.subresource ? { subresource: writer.subresource } : {}),
  }
  return tidy([...others, entry])
}

function isOf(entry: ManagedFieldsEntry, writer: Writer): boolean {
  return (
    entry.manager === writer.manager &&
    entry.operation === 'Update' &&
    entry.apiVersion === writer.apiVersion &&
    (entry.subresource ?? '') === (writer.subresource ?? '')
  )
}

function without(entry: ManagedFieldsEntry, fields: FieldSet): ManagedFieldsEntry {
  return { ...entry, fieldsV1: subtract(entry.fieldsV1 ?? {}, fields) }
}

const ORDER = ['operation', 'time', 'manager', 'apiVersion', 'subresource'] as const

/** Sorted as the API server sorts them: any write may change an entry's position. */
function tidy(entries: ManagedFieldsEntry[]): ManagedFieldsEntry[] {
  const orderOf = (entry: ManagedFieldsEntry) => ORDER.map((field) => entry[field] ?? '').join('\0')
  return entries
    .filter((entry) => !isEmpty(entry.fieldsV1 ?? {}))
    .sort((one, other) => (orderOf(one) < orderOf(other) ? -1 : 1))
}

const isEmpty = (fields: FieldSet) => Object.keys(fields).length === 0

function fieldsOf({ apiVersion: _apiVersion, kind: _kind, metadata, ...rest }: KubeObject): JsonRecord {
  const own = Object.entries(metadata).filter(([field]) => !SERVERS.has(field))
  return { ...rest, metadata: Object.fromEntries(own) }
}

function difference(before: JsonRecord, after: JsonRecord): { changed: FieldSet; removed: FieldSet } {
  const changed: FieldSet = {}
  const removed: FieldSet = {}
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [old, now] = [before[key], after[key]]
    if (old === now) continue
    if (isRecord(old) || isRecord(now)) {
      const inner = difference(isRecord(old) ? old : {}, isRecord(now) ? now : {})
      if (!isEmpty(inner.changed)) changed[`f:${key}`] = inner.changed
      else if (isRecord(now) && old === undefined) changed[`f:${key}`] = {}
      if (!isEmpty(inner.removed)) removed[`f:${key}`] = inner.removed
    } else if (now === undefined) removed[`f:${key}`] = {}
    else if (!isDeepStrictEqual(old, now)) changed[`f:${key}`] = {}
  }
  return { changed, removed }
}

function union(one: FieldSet, other: FieldSet): FieldSet {
  const result: FieldSet = { ...one }
  for (const [field, inner] of Object.entries(other)) result[field] = union(result[field] ?? {}, inner)
  return result
}

function subtract(from: FieldSet, fields: FieldSet): FieldSet {
  const result: FieldSet = {}
  for (const [field, inner] of Object.entries(from)) {
    const taken = fields[field]
    if (taken === undefined) result[field] = inner
    else if (!isEmpty(taken) && !isEmpty(inner)) {
      const rest = subtract(inner, taken)
      if (!isEmpty(rest)) result[field] = rest
    }
  }
  return result
}
