import { isDeepStrictEqual } from 'node:util'
import { ANNOTATION, ASLEEP_LABEL, SNOOZE_KEY } from '../domain/workload.ts'
import { isJson, jsonOf, type Json } from './json.ts'

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration'
/** Annotations that tools update along with a count. */
const BOOKKEEPING = [
  LAST_APPLIED,
  'deployment.kubernetes.io/revision',
  'deprecated.daemonset.template.generation',
]
const OUR_PREFIX = 'dormouse.dev/'
const OUR_ANNOTATIONS: readonly string[] = Object.values(ANNOTATION)

/** Whether an update changes anything but the count (DaemonSet: our key), our annotations and label, and bookkeeping. */
export function changesMore(old: Json, object: Json): boolean {
  return !isDeepStrictEqual(withoutOurs(old), withoutOurs(object))
}

/** Annotations below `dormouse.dev/` that are not ours, as far as this write added or changed them. */
export function unknownAnnotations(old: Json | undefined, object: Json): string[] {
  const known = annotationsOf(old ?? {})
  return Object.entries(annotationsOf(object))
    .filter(([name, value]) => name.startsWith(OUR_PREFIX) && known[name] !== value)
    .map(([name]) => name)
    .filter((name) => !OUR_ANNOTATIONS.includes(name))
}

/**
 * Whether the update is an apply. The review does not say so: server-side apply comes as an UPDATE with UpdateOptions.
 * But it changes the time of its manager's `Apply` entry, or the entry owns the nodeSelector (checked on 1.35).
 * Client-side apply changes kubectl's last-applied-configuration.
 */
export function isApply(old: Json, object: Json, manager: string | undefined): boolean {
  if (annotationsOf(old)[LAST_APPLIED] !== annotationsOf(object)[LAST_APPLIED]) return true
  const applied = manager === undefined ? undefined : appliedBy(object, manager)
  if (!applied) return false
  return applied['time'] !== appliedBy(old, manager ?? '')?.['time'] || ownsSelector(applied)
}

function appliedBy(object: Json, manager: string): Json | undefined {
  const { managedFields } = jsonOf(object.metadata)
  return (Array.isArray(managedFields) ? managedFields : [])
    .filter(isJson)
    .find((entry) => entry.operation === 'Apply' && entry.manager === manager && !entry.subresource)
}

function ownsSelector({ fieldsV1 }: Json): boolean {
  const template = jsonOf(jsonOf(jsonOf(fieldsV1)['f:spec'])['f:template'])
  return jsonOf(template['f:spec'])['f:nodeSelector'] !== undefined
}

function annotationsOf(object: Json): Json {
  return jsonOf(jsonOf(object.metadata).annotations)
}

/** The object without its count, our annotations, label and key, and the fields that the API server maintains. */
function withoutOurs(object: Json): Json {
  const metadata = jsonOf(object.metadata)
  const spec = jsonOf(object.spec)
  const template = jsonOf(spec.template)
  const podSpec = jsonOf(template.spec)
  return {
    ...object,
    status: undefined,
    metadata: {
      ...metadata,
      managedFields: undefined,
      generation: undefined,
      resourceVersion: undefined,
      // `kubectl replace` leaves these out: the API server fills them in after admission.
      uid: undefined,
      creationTimestamp: undefined,
      annotations: without(metadata.annotations, [...OUR_ANNOTATIONS, ...BOOKKEEPING]),
      labels: without(metadata.labels, [ASLEEP_LABEL]),
    },
    spec: {
      ...spec,
      replicas: undefined,
      template: {
        ...template,
        spec: { ...podSpec, nodeSelector: without(podSpec.nodeSelector, [SNOOZE_KEY]) },
      },
    },
  }
}

function without(map: unknown, keys: readonly string[]): Json {
  return Object.fromEntries(Object.entries(jsonOf(map)).filter(([key]) => !keys.includes(key)))
}
