import { isRecord } from '../../domain/json-schema.ts'
import { namesIn, valueAt } from '../../domain/json-pointer.ts'
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

/** The contents of a SleepInfo's Secret, by `Deployment.apps/web`; undefined: not all of it can be read. */
export function keptIn({ data }: ImportedObject): Map<string, Restore> | undefined {
  const info = parsed(data?.['original-resource-info'])
  // Versions before 0.7 wrote two lists (kube-green's source).
  const [counts, cronJobs] = [parsed(data?.['deployment-replicas']), parsed(data?.['cronjobs-info'])]
  if (!data || [info, counts, cronJobs].includes(UNREADABLE)) return undefined
  const kept = new Map<string, Restore>()
  for (const [kind, ofKind] of entries(info)) {
    if (!isRecord(ofKind)) return undefined
    for (const [name, patch] of entries(ofKind)) {
      const restore = json(patch)
      if (!isRestore(restore)) return undefined
      kept.set(`${kind}/${name}`, restore)
    }
  }
  for (const { name, replicas } of list(counts))
    if (typeof replicas === 'number') kept.set(`Deployment.apps/${String(name)}`, { spec: { replicas } })
  for (const { name, suspend } of list(cronJobs))
    kept.set(`CronJob.batch/${String(name)}`, { spec: { suspend: suspend === true } })
  return kept
}

/** The time at which it was written; a Secret without one counts as the oldest. */
export function writtenAt({ data = {} }: ImportedObject): number {
  return Date.parse(Buffer.from(data['scheduled-at'] ?? '', 'base64').toString()) || 0
}

/**
 * The Secret's objects of kinds that we do not read, with their names alone; also operators' resources that were not
 * found: the cluster may serve them at another version than the one that was asked for.
 */
export function keptOfOthers(
  secret: ImportedObject,
  found: ReadonlySet<string>,
): { object: ImportedObject; restore: Restore }[] {
  return [...(keptIn(secret) ?? [])].flatMap(([key, restore]) => {
    const [, kind = '', group = '', name = ''] = /^([^./]*)\.?([^/]*)\/(.*)$/s.exec(key) ?? []
    const { apiVersion, restored, preset } = rowOf(kind)
    const isRead = restored !== undefined && groupOf(apiVersion) === group
    if (isRead && (preset === undefined || found.has(key))) return []
    const { namespace } = secret.metadata
    const metadata = { name, ...(namespace !== undefined && { namespace }) }
    return [{ object: { apiVersion: `${group}/`, kind, metadata }, restore }]
  })
}

/** A stored patch in parts, by what an import does with each. */
interface Restorable {
  /** The count to wake with; undefined: kube-green did not put it to sleep. */
  readonly count: number | undefined
  /** An HPA's bounds, which are put back. */
  readonly bounds: MergePatch | undefined
  /** Other fields, which are left to a person. */
  readonly rest: Restore
}

/** Takes from a stored patch the fields that an import may set. */
export function restorable({ kind }: ImportedObject, restore: Restore): Restorable {
  if (rowOf(kind).preset !== undefined) return switchedBack(kind, restore)
  const { spec = {}, ...others } = restore
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

/** The switch of an operator's resource, and nothing else; null where it had none. */
function switchedBack(kind: string, restore: Restore): Restorable {
  const [path, asleep] = rowOf(kind).asleep ?? ['', 0]
  const value = valueAt(restore, path)
  if (value === undefined || !isAlone(restore, namesIn(path)))
    return { count: undefined, bounds: undefined, rest: restore }
  const count = typeof asleep === 'number' ? (isCount(value) && Number(value)) || undefined : 1
  return { count: value === asleep ? undefined : count, bounds: undefined, rest: {} }
}

/** Whether a path is all that the object has. */
function isAlone(object: unknown, [name = '', ...more]: readonly string[]): boolean {
  if (!isRecord(object) || Object.keys(object).length !== 1) return false
  return more.length === 0 || isAlone(object[name], more)
}

function isCount(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= MAX_REPLICAS
}

/** `Deployment.apps/web` */
export function keptKey({ apiVersion, kind, metadata }: ImportedObject): string {
  return `${kind}.${groupOf(apiVersion)}/${metadata.name}`
}

const UNREADABLE = Symbol('unreadable')

function parsed(base64: string | undefined): unknown {
  return base64 ? json(Buffer.from(base64, 'base64').toString()) : undefined
}

function json(text: unknown): unknown {
  try {
    return typeof text === 'string' ? JSON.parse(text) : UNREADABLE
  } catch {
    return UNREADABLE
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
