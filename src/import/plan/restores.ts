import { isRecord } from '../../domain/json-schema.ts'
import { MAX_REPLICAS } from '../../domain/workload/workload.ts'
import type { ImportedObject, MergePatch } from './imported-object.ts'
import { groupOf, rowOf } from './kinds.ts'

/** A merge patch that brings an object back to what it was before kube-green. */
export interface Restore {
  readonly spec?: {
    readonly replicas?: number
    readonly suspend?: boolean
    readonly [field: string]: unknown
  }
  readonly [field: string]: unknown
}

/** The contents of a SleepInfo's Secret, by `Deployment.apps/web`, without unreadable ones. */
export function keptIn({ data = {} }: ImportedObject): Map<string, Restore> {
  const kept = new Map<string, Restore>()
  for (const [kind, ofKind] of entries(parsed(data['original-resource-info'])))
    for (const [name, patch] of entries(ofKind)) {
      const restore = json(patch)
      if (isRestore(restore)) kept.set(`${kind}/${name}`, restore)
    }
  // The two lists of versions before 0.7, by its source.
  for (const { name, replicas } of list(parsed(data['deployment-replicas'])))
    if (typeof replicas === 'number') kept.set(`Deployment.apps/${String(name)}`, { spec: { replicas } })
  for (const { name, suspend } of list(parsed(data['cronjobs-info'])))
    kept.set(`CronJob.batch/${String(name)}`, { spec: { suspend: suspend === true } })
  return kept
}

/** When it was written; a Secret that does not say it is the oldest. */
export function writtenAt({ data = {} }: ImportedObject): number {
  return Date.parse(Buffer.from(data['scheduled-at'] ?? '', 'base64').toString()) || 0
}

/** Whether all that it keeps can be read. */
export function isReadable({ data }: ImportedObject): boolean {
  if (!data) return false
  const texts = ['original-resource-info', 'deployment-replicas', 'cronjobs-info']
  if (texts.some((name) => data[name] && parsed(data[name]) === undefined)) return false
  return entries(parsed(data['original-resource-info'])).every(
    ([, ofKind]) => isRecord(ofKind) && Object.values(ofKind).every((patch) => isRestore(json(patch))),
  )
}

/** The Secret's objects of kinds that we do not read, with their names alone. */
export function keptOfOthers(secret: ImportedObject): { object: ImportedObject; restore: Restore }[] {
  return [...keptIn(secret)].flatMap(([key, restore]) => {
    const [, kind = '', group = '', name = ''] = /^([^./]*)\.?([^/]*)\/(.*)$/s.exec(key) ?? []
    const { apiVersion, restored } = rowOf(kind)
    if (restored && groupOf(apiVersion) === group) return []
    const { namespace } = secret.metadata
    const metadata = { name, ...(namespace !== undefined && { namespace }) }
    return [{ object: { apiVersion: `${group}/`, kind, metadata }, restore }]
  })
}

/** The import's treatment of one stored object. */
interface Restorable {
  /** To wake with, where the object was put to sleep; undefined: it was not. */
  readonly count: number | undefined
  /** For an HPA. */
  readonly bounds: MergePatch | undefined
  /** All else, which nobody puts back. */
  readonly rest: Restore
}

/** Takes from a stored patch the fields that an import may set. */
export function restorable({ kind }: ImportedObject, { spec = {}, ...others }: Restore): Restorable {
  const isTaken = ([field, value]: [string, unknown]) =>
    rowOf(kind).restored?.includes(field) === true &&
    (field === 'suspend' ? typeof value === 'boolean' : isCount(value))
  const taken = Object.fromEntries(Object.entries(spec).filter(isTaken))
  const rest = Object.fromEntries(Object.entries(spec).filter((each) => !isTaken(each)))
  const isAutoscaler = kind === 'HorizontalPodAutoscaler' && Object.keys(taken).length > 0
  return {
    count: taken['suspend'] === false ? 1 : Number(taken['replicas'] ?? 0) || undefined,
    bounds: isAutoscaler ? (taken as MergePatch) : undefined,
    rest: { ...others, ...(Object.keys(rest).length > 0 && { spec: rest }) },
  }
}

function isCount(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= MAX_REPLICAS
}

/** `Deployment.apps/web` */
export function keptKey({ apiVersion, kind, metadata }: ImportedObject): string {
  return `${kind}.${groupOf(apiVersion)}/${metadata.name}`
}

function parsed(base64: string | undefined): unknown {
  return base64 === undefined ? undefined : json(Buffer.from(base64, 'base64').toString())
}

function json(text: unknown): unknown {
  try {
    return typeof text === 'string' ? JSON.parse(text) : undefined
  } catch {
    return undefined
  }
}

function isRestore(value: unknown): value is Restore {
  return isRecord(value) && (value['spec'] === undefined || isRecord(value['spec']))
}

function entries(value: unknown): [string, unknown][] {
  return isRecord(value) ? Object.entries(value) : []
}

function list(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isRecord) : []
}
