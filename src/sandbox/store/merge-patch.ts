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

/** The lists whose items are merged by a key: `patchMergeKey` in the Go types of the API, those that a pod template has. */
const MERGE_KEYS: Record<string, string> = {
  containers: 'name',
  initContainers: 'name',
  env: 'name',
  volumes: 'name',
  imagePullSecrets: 'name',
  volumeMounts: 'mountPath',
  ports: 'containerPort',
  topologySpreadConstraints: 'topologyKey',
  ownerReferences: 'uid',
}

/**
 * A strategic merge patch, with the directive `$patch: delete | replace`; all others are ignored.
 * Source: kubernetes/community, "Strategic Merge Patch".
 * @throws StatusError 400 if the patch is not an object
 */
export function applyStrategicMergePatch(document: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) throw badRequest('a strategic merge patch is an object')
  return mergedMap(isRecord(document) ? document : {}, patch)
}

function mergedMap(target: JsonRecord, patch: JsonRecord): JsonRecord {
  const result: JsonRecord = patch['$patch'] === 'replace' ? {} : { ...target }
  for (const [key, value] of Object.entries(patch)) {
    const current = result[key]
    if (key.startsWith('$')) continue
    if (value === null || (isRecord(value) && value['$patch'] === 'delete')) delete result[key]
    else if (Array.isArray(value)) result[key] = mergedList(MERGE_KEYS[key], current, value)
    else result[key] = isRecord(value) ? mergedMap(isRecord(current) ? current : {}, value) : value
  }
  return result
}

function mergedList(mergeKey: string | undefined, target: unknown, patch: unknown[]): unknown[] {
  if (mergeKey === undefined || !patch.every(isRecord)) return patch
  const result: unknown[] = Array.isArray(target) ? [...target] : []
  for (const item of patch) {
    const at = result.findIndex((each) => isRecord(each) && each[mergeKey] === item[mergeKey])
    const existing = result[at]
    if (item['$patch'] === 'delete') {
      if (at >= 0) result.splice(at, 1)
    } else if (isRecord(existing)) result[at] = mergedMap(existing, item)
    else result.push(mergedMap({}, item))
  }
  return result
}
