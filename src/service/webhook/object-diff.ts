import { isRecord } from '../../domain/json-schema.ts'
import { hasKey, sleepsSuspended } from '../../domain/kinds.ts'
import { REQUEST_ANNOTATION } from '../../domain/requests/annotation.ts'
import { ANNOTATION, fieldOf, OWN_LABELS, SNOOZE_KEY, type Workload } from '../../domain/workload/workload.ts'
import { annotationsOf, jsonOf, labelsOf, type Json } from './json.ts'
import { Unread } from './review.ts'

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration'
/** Annotations that tools update along with a count. */
const BOOKKEEPING = [
  LAST_APPLIED,
  'deployment.kubernetes.io/revision',
  'deprecated.daemonset.template.generation',
]
const OUR_PREFIX = 'dormouse.dev/'
const OUR_ANNOTATIONS: readonly string[] = Object.values(ANNOTATION)
/** Values within values: no Kubernetes object has a hundred. */
const DEEPEST = 1000

/**
 * Whether an update changes anything but the count (DaemonSet: our key), our annotations and label, and bookkeeping.
 * @throws Unread
 */
export function changesMore(workload: Workload, old: Json, object: Json): boolean {
  return !isSame(withoutOurs(workload, old), withoutOurs(workload, object), 0)
}

/** Whether the template of its pods or jobs differs, but for our key. @throws Unread */
export function changesTemplate(workload: Workload, old: Json, object: Json): boolean {
  const name = sleepsSuspended(workload.kind) ? 'jobTemplate' : 'template'
  const of = (side: Json) => jsonOf(withoutOurs(workload, side)['spec'])[name]
  return !isSame(of(old), of(object), 0)
}

/** Annotations below `dormouse.dev/` that are not ours, as far as this write added or changed them. */
export function unknownAnnotations(old: Json | undefined, object: Json): string[] {
  return changedAnnotations(old, object).filter((name) => !OUR_ANNOTATIONS.includes(name))
}

/** Labels with the names of our annotations, as far as this write added or changed them. */
export function misplacedLabels(old: Json | undefined, object: Json): string[] {
  const [known, labels] = [labelsOf(old), labelsOf(object)]
  return OUR_ANNOTATIONS.filter((name) => labels[name] !== undefined && labels[name] !== known[name])
}

/** Annotations below `dormouse.dev/` that this write added or changed. */
export function changedAnnotations(old: Json | undefined, object: Json): string[] {
  const known = annotationsOf(old)
  return Object.entries(annotationsOf(object))
    .filter(([name, value]) => name.startsWith(OUR_PREFIX) && known[name] !== value)
    .map(([name]) => name)
}

/**
 * Whether the update is an apply. The review does not say so: server-side apply comes as an UPDATE with UpdateOptions.
 * But it changes the time of its manager's `Apply` entry, or the entry owns the count or key (checked on 1.35).
 * Client-side apply changes kubectl's last-applied-configuration.
 */
export function isApply(workload: Workload, old: Json, object: Json, manager: string | undefined): boolean {
  if (annotationsOf(old)[LAST_APPLIED] !== annotationsOf(object)[LAST_APPLIED]) return true
  if (sleepsSuspended(workload.kind) && isAppliedAgain(workload, object)) return true
  const applied = manager === undefined ? undefined : appliedBy(object, manager)
  if (!applied) return false
  return applied['time'] !== appliedBy(old, manager ?? '')?.['time'] || owns(applied, fieldOf(workload))
}

/** Whether the manifest that kubectl applied last names the value: applying it again changes nothing else. */
function isAppliedAgain(workload: Workload, object: Json): boolean {
  const text = annotationsOf(object)[LAST_APPLIED]
  if (typeof text !== 'string') return false
  const field = fieldOf(workload)
  try {
    const applied = valueAt(JSON.parse(text), field)
    return applied !== undefined && applied === valueAt(object, field)
  } catch {
    return false
  }
}

/**
 * Whether an applied manifest holds this request: each later sync would repeat it. With server-side apply an `Apply`
 * entry of managedFields owns the annotation; with kubectl's own apply the manifest is in an annotation.
 */
export function isRequestApplied(object: Json, request: string): boolean {
  const field = ['f:metadata', 'f:annotations', `f:${REQUEST_ANNOTATION}`]
  const owns = ({ operation, fieldsV1 }: Json) =>
    operation === 'Apply' && within(fieldsV1, field) !== undefined
  if (entriesOf(object).some(owns)) return true
  const text = annotationsOf(object)[LAST_APPLIED]
  if (typeof text !== 'string' || !text.includes(REQUEST_ANNOTATION)) return false
  try {
    return annotationsOf(JSON.parse(text))[REQUEST_ANNOTATION] === request
  } catch {
    return false
  }
}

/** The keys of nodeSelectors by which py-kube-downscaler and GoKubeDownscaler put DaemonSets to sleep. */
const OTHER_TOOLS = ['kube-downscaler-non-existent', 'downscaler/match-none']

/** The key of another tool in a DaemonSet's nodeSelector; undefined: there is none. */
export function otherToolsKey(workload: Workload, object: Json): string | undefined {
  const selector = jsonOf(valueAt(object, fieldOf(workload)))
  return OTHER_TOOLS.find((key) => selector[key] !== undefined)
}

function appliedBy(object: Json, manager: string): Json | undefined {
  return entriesOf(object).find(
    (entry) => entry.operation === 'Apply' && entry.manager === manager && !entry.subresource,
  )
}

function entriesOf(object: Json): Json[] {
  const { managedFields } = jsonOf(object.metadata)
  return (Array.isArray(managedFields) ? managedFields : []).filter(isRecord)
}

function owns({ fieldsV1 }: Json, field: string): boolean {
  return valueAt(fieldsV1, field.replaceAll('/', '/f:')) !== undefined
}

/** The value at a JSON pointer without escapes. */
function valueAt(value: unknown, pointer: string): unknown {
  return within(value, pointer.split('/').slice(1))
}

function within(value: unknown, names: readonly string[]): unknown {
  return names.reduce((inner, name) => jsonOf(inner)[name], value)
}

/** The object without its count, our annotations, label and key, and the fields that the API server maintains. */
function withoutOurs(workload: Workload, object: Json): Json {
  const metadata = jsonOf(object.metadata)
  const field = fieldOf(workload)
  const own = hasKey(workload.kind) ? without(valueAt(object, field), [SNOOZE_KEY]) : undefined
  return {
    ...withValue(object, field.split('/').slice(1), own),
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
      labels: without(metadata.labels, OWN_LABELS),
    },
  }
}

/** A copy with another value at a path. */
function withValue(object: unknown, [name, ...below]: readonly string[], value: unknown): Json {
  if (name === undefined) return jsonOf(value)
  const inner = jsonOf(object)[name]
  return { ...jsonOf(object), [name]: below.length === 0 ? value : withValue(inner, below, value) }
}

function without(map: unknown, keys: readonly string[]): Json {
  return Object.fromEntries(Object.entries(jsonOf(map)).filter(([key]) => !keys.includes(key)))
}

/** Not isDeepStrictEqual, which has no limit of depth: a forged review would end it by its stack. */
function isSame(a: unknown, b: unknown, depth: number): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (depth > DEEPEST)
    throw new Unread('unexpected', 'the object has values that stand deeper than Kubernetes has any')
  if (Array.isArray(a) !== Array.isArray(b)) return false
  const [before, after] = [a as Json, b as Json]
  const names = Object.keys(before)
  return (
    names.length === Object.keys(after).length &&
    names.every((name) => Object.hasOwn(after, name) && isSame(before[name], after[name], depth + 1))
  )
}
