import { isRecord } from './object.ts'
import type { JsonRecord } from './object.ts'
import { badRequest } from './status.ts'

/** RFC 7386. @throws StatusError 400 if the patch is not an object */
export function applyMergePatch(document: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) throw badRequest('a JSON merge patch is an object')
  return merged(document, patch)
}

function merged(target: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) return patch
  const result: JsonRecord = isRecord(target) ? { ...target } : {}
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key]
    else result[key] = merged(result[key], value)
  }
  return result
}

/** The lists whose items are merged by a key: `patchMergeKey` in the Go types of the API. */
const MERGE_KEYS: Record<string, string> = {
  containers: 'name',
  initContainers: 'name',
  ephemeralContainers: 'name',
  env: 'name',
  volumes: 'name',
  imagePullSecrets: 'name',
  webhooks: 'name',
  secrets: 'name',
  volumeMounts: 'mountPath',
  volumeDevices: 'devicePath',
  ports: 'containerPort',
  hostAliases: 'ip',
  topologySpreadConstraints: 'topologyKey',
  ownerReferences: 'uid',
  conditions: 'type',
}

const SETS = new Set(['finalizers'])

/**
 * A strategic merge patch, with the directives `$patch: delete | replace`, `$deleteFromPrimitiveList`,
 * `$setElementOrder` (ignored) and `$retainKeys`.
 * Source: kubernetes/community, "Strategic Merge Patch".
 * @throws StatusError 400 if the patch is not an object, or an item of a merged list lacks its key
 */
export function applyStrategicMergePatch(document: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) throw badRequest('a strategic merge patch is an object')
  return mergedMap(isRecord(document) ? document : {}, patch)
}

function mergedMap(target: JsonRecord, patch: JsonRecord): JsonRecord {
  if (patch['$patch'] === 'replace') return withoutDirectives(patch)
  const result: JsonRecord = { ...target }
  const retained = patch['$retainKeys']
  if (Array.isArray(retained))
    for (const key of Object.keys(result)) if (!retained.includes(key)) delete result[key]
  for (const [key, value] of Object.entries(patch)) {
    const primitives = /^\$deleteFromPrimitiveList\/(.+)$/.exec(key)?.[1]
    const current = result[primitives ?? key]
    if (primitives !== undefined && Array.isArray(value) && Array.isArray(current))
      result[primitives] = current.filter((item) => !value.includes(item))
    if (key.startsWith('$')) continue
    if (value === null || (isRecord(value) && value['$patch'] === 'delete')) delete result[key]
    else if (Array.isArray(value)) result[key] = mergedList(key, current, value)
    else result[key] = isRecord(value) ? mergedMap(isRecord(current) ? current : {}, value) : value
  }
  return result
}

function mergedList(field: string, target: unknown, patch: unknown[]): unknown[] {
  const current: unknown[] = Array.isArray(target) ? target : []
  if (SETS.has(field)) return [...new Set([...current, ...patch])]
  const mergeKey = MERGE_KEYS[field]
  if (mergeKey === undefined || !patch.every(isRecord)) return patch
  if (patch.some((item) => item['$patch'] === 'replace'))
    return patch.filter((item) => item['$patch'] !== 'replace')
  const result = [...current]
  for (const item of patch) {
    const key = item[mergeKey]
    if (key === undefined)
      throw badRequest(`map: ${JSON.stringify(item)} does not contain declared merge key: ${mergeKey}`)
    const at = result.findIndex((existing) => isRecord(existing) && existing[mergeKey] === key)
    const existing = result[at]
    if (item['$patch'] === 'delete') {
      if (at >= 0) result.splice(at, 1)
    } else if (isRecord(existing)) result[at] = mergedMap(existing, item)
    else result.push(withoutDirectives(item))
  }
  return result
}

function withoutDirectives(value: JsonRecord): JsonRecord {
  return mergedMapOfNew(Object.entries(value).filter(([key]) => !key.startsWith('$')))
}

function mergedMapOfNew(entries: [string, unknown][]): JsonRecord {
  return Object.fromEntries(
    entries
      .filter(([, value]) => value !== null)
      .map(([key, value]) => [key, isRecord(value) ? withoutDirectives(value) : value]),
  )
}
