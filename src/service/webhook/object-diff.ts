import { namesIn, valueAt } from '../../domain/json-pointer.ts'
import { factsOf } from '../../domain/kinds.ts'
import { formOf } from '../../domain/sleeping/forms.ts'
import { ANNOTATION, fieldOf, OWN_LABELS, type Workload } from '../../domain/workload/workload.ts'
import { annotationsOf, jsonOf, labelsOf, type Json } from './json.ts'
import { LAST_APPLIED } from './manifest.ts'
import { Unread } from './review.ts'

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
  const { template } = factsOf(workload.kind)
  const of = (side: Json) => valueAt(withoutOurs(workload, side), template)
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

/** The keys of nodeSelectors by which py-kube-downscaler and GoKubeDownscaler put DaemonSets to sleep. */
const OTHER_TOOLS = ['kube-downscaler-non-existent', 'downscaler/match-none']

/** The key of another tool in a DaemonSet's nodeSelector; undefined: there is none. */
export function otherToolsKey(workload: Workload, object: Json): string | undefined {
  const selector = jsonOf(valueAt(object, fieldOf(workload)))
  return OTHER_TOOLS.find((key) => selector[key] !== undefined)
}

/** The object without its count, our annotations, label and key, and the fields that the API server maintains. */
function withoutOurs(workload: Workload, object: Json): Json {
  const field = fieldOf(workload)
  const { entry } = formOf(workload)
  const others = entry === undefined ? undefined : without(valueAt(object, field), [entry])
  const rest = withValue(object, namesIn(field), others)
  const metadata = jsonOf(rest.metadata)
  return {
    ...rest,
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
