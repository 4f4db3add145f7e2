import { isDeepStrictEqual } from 'node:util'
import { ANNOTATION, ASLEEP_LABEL, SNOOZE_KEY } from '../domain/workload.ts'

export type Json = Record<string, unknown>

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration'
/** What tools change along with a count, without meaning anything by it. */
const BOOKKEEPING = [
  LAST_APPLIED,
  'deployment.kubernetes.io/revision',
  'deprecated.daemonset.template.generation',
]
const OUR_PREFIX = 'dormouse.dev/'
const OUR_ANNOTATIONS: readonly string[] = Object.values(ANNOTATION)

/** Whether an update changes anything but the count (DaemonSet: our key), our marks and what tools keep beside them. */
export function changesMore(old: Json, object: Json): boolean {
  return !isDeepStrictEqual(meaningOf(old), meaningOf(object))
}

/** Annotations that look like ours and are not, as far as this write added or changed them. */
export function unknownMarks(old: Json | undefined, object: Json): string[] {
  const known = annotationsOf(old ?? {})
  return Object.entries(annotationsOf(object))
    .filter(([name, value]) => name.startsWith(OUR_PREFIX) && known[name] !== value)
    .map(([name]) => name)
    .filter((name) => !OUR_ANNOTATIONS.includes(name))
}

/**
 * Whether the object is as its manager applied it. A review does not say so: an apply on the server comes as an UPDATE with
 * UpdateOptions. But it sets the time of its manager's `Apply` entry, and an entry that owns the nodeSelector set it
 * (checked on 1.35). kubectl's own apply writes what it applied.
 */
export function isApply(old: Json, object: Json, manager: string | undefined): boolean {
  if (annotationsOf(old)[LAST_APPLIED] !== annotationsOf(object)[LAST_APPLIED]) return true
  const applied = manager === undefined ? undefined : appliedBy(object, manager)
  if (!applied) return false
  return applied['time'] !== appliedBy(old, manager ?? '')?.['time'] || ownsSelector(applied)
}

function appliedBy(object: Json, manager: string): Json | undefined {
  const { managedFields } = section(object.metadata)
  return (Array.isArray(managedFields) ? managedFields : [])
    .filter(isJson)
    .find((entry) => entry.operation === 'Apply' && entry.manager === manager && !entry.subresource)
}

function ownsSelector({ fieldsV1 }: Json): boolean {
  const template = section(section(section(fieldsV1)['f:spec'])['f:template'])
  return section(template['f:spec'])['f:nodeSelector'] !== undefined
}

function annotationsOf(object: Json): Json {
  return section(section(object.metadata).annotations)
}

/** The object without its count, our marks and what the API server keeps: what a person means to change. */
function meaningOf(object: Json): Json {
  const metadata = section(object.metadata)
  const spec = section(object.spec)
  const template = section(spec.template)
  const podSpec = section(template.spec)
  return {
    ...object,
    status: undefined,
    metadata: {
      ...metadata,
      managedFields: undefined,
      generation: undefined,
      resourceVersion: undefined,
      // What `kubectl replace` sends lacks them: the API server fills them in after admission.
      uid: undefined,
      creationTimestamp: undefined,
      annotations: less(metadata.annotations, [...OUR_ANNOTATIONS, ...BOOKKEEPING]),
      labels: less(metadata.labels, [ASLEEP_LABEL]),
    },
    spec: {
      ...spec,
      replicas: undefined,
      template: {
        ...template,
        spec: { ...podSpec, nodeSelector: less(podSpec.nodeSelector, [SNOOZE_KEY]) },
      },
    },
  }
}

function less(map: unknown, keys: readonly string[]): Json {
  return Object.fromEntries(Object.entries(section(map)).filter(([key]) => !keys.includes(key)))
}

export function section(value: unknown): Json {
  return isJson(value) ? value : {}
}

export function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
