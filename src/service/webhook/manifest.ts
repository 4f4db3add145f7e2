import type { ManifestCount } from '../../domain/admission/under-review.ts'
import { isRecord } from '../../domain/json-schema.ts'
import { valueAt } from '../../domain/json-pointer.ts'
import { owns } from '../../domain/managed-fields.ts'
import { formOf } from '../../domain/sleeping/forms.ts'
import { REQUEST_ANNOTATION } from '../../domain/requests/annotation.ts'
import {
  ANNOTATION,
  annotationAt,
  ASLEEP_LABEL,
  fieldOf,
  type Workload,
} from '../../domain/workload/workload.ts'
import { annotationsOf, jsonOf, labelsOf, type Json } from './json.ts'

export const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration'

/**
 * Whether the update is an apply. The review does not say so: server-side apply comes as an UPDATE with UpdateOptions.
 * But it changes the time of its manager's `Apply` entry, or the entry owns the count or key (checked on 1.35).
 * Client-side apply changes kubectl's last-applied-configuration.
 */
export function isApply(workload: Workload, old: Json, object: Json, manager: string | undefined): boolean {
  if (annotationsOf(old)[LAST_APPLIED] !== annotationsOf(object)[LAST_APPLIED]) return true
  if (!formOf(workload).countsPods && isAppliedAgain(workload, object)) return true
  const applied = manager === undefined ? undefined : appliedBy(object, manager)
  if (!applied) return false
  return applied['time'] !== appliedBy(old, manager ?? '')?.['time'] || owns(applied, fieldOf(workload))
}

/** Whether the manifest that kubectl applied last names the value: applying it again changes nothing else. */
function isAppliedAgain(workload: Workload, object: Json): boolean {
  const field = fieldOf(workload)
  const applied = valueAt(manifestIn(object), field)
  return applied !== undefined && applied === valueAt(object, field)
}

/**
 * Whether an applied manifest holds this request: each later sync would repeat it. With server-side apply an `Apply`
 * entry of managedFields owns the annotation; with kubectl's own apply the manifest is in an annotation.
 */
export function isRequestApplied(object: Json, request: string): boolean {
  const field = annotationAt(REQUEST_ANNOTATION)
  if (entriesOf(object).some((entry) => entry['operation'] === 'Apply' && owns(entry, field))) return true
  return annotationsOf(manifestIn(object))[REQUEST_ANNOTATION] === request
}

/**
 * The count that the manifest of this update gives a sleeper; undefined: another count, or it applies none. The
 * count of the object does not tell: where the manifest stops naming one, the API server sets 1; where it names 0, as a
 * sleeper has, nothing changes.
 */
export function manifestCount(
  before: Workload,
  old: Json,
  object: Json,
  manager: string | undefined,
): ManifestCount | undefined {
  if (before.labels?.[ASLEEP_LABEL] === undefined) return undefined
  return countByKubectl(before, old, object) ?? countByServer(before, old, object, manager)
}

/** By kubectl's own apply, which keeps the manifest in an annotation. */
function countByKubectl(before: Workload, old: Json, object: Json): ManifestCount | undefined {
  if (annotationsOf(old)[LAST_APPLIED] === annotationsOf(object)[LAST_APPLIED]) return undefined
  const [former, applied] = [manifestIn(old), manifestIn(object)]
  if (!applied) return undefined
  const [was, is] = [former, applied].map((manifest) => valueAt(manifest, fieldOf(before)))
  if (is === undefined) return was === undefined ? undefined : 'absent'
  const isCopy = hasOurs(annotationsOf(applied), ANNOTATION.state) || hasOurs(labelsOf(applied), ASLEEP_LABEL)
  return namesSleep(before, applied) && was !== is && !isCopy ? 'asleep' : undefined
}

/** By server-side apply, which says in managedFields what a manifest names. */
function countByServer(
  before: Workload,
  old: Json,
  object: Json,
  manager: string | undefined,
): ManifestCount | undefined {
  const [former, applied] = [old, object].map((each) => appliedBy(each, manager ?? ''))
  if (!applied) return undefined
  const field = fieldOf(before)
  if (!owns(applied, field)) {
    // A field that nobody names any more is set by default, and nobody owns that.
    const isDropped = former && owns(former, field) && !entriesOf(object).some((entry) => owns(entry, field))
    return isDropped ? 'absent' : undefined
  }
  // An apply that alters the object sets the time; one that only comes to own the count does not (checked on 1.35).
  // One that does neither looks like any other update by this manager.
  const isOld = former && owns(former, field) && applied['time'] === former['time']
  if (isOld || !namesSleep(before, object)) return undefined
  const metadata = jsonOf(jsonOf(applied['fieldsV1'])['f:metadata'])
  const isCopy =
    hasOurs(jsonOf(metadata['f:annotations']), `f:${ANNOTATION.state}`) ||
    hasOurs(jsonOf(metadata['f:labels']), `f:${ASLEEP_LABEL}`)
  return isCopy ? undefined : 'asleep'
}

/** Whether it is a copy of a sleeper, which names the count that Dormouse has set. */
function hasOurs(map: Json, name: string): boolean {
  return map[name] !== undefined
}

/** Whether an object or a manifest names the count that a sleeper has. */
function namesSleep(workload: Workload, object: Json): boolean {
  const form = formOf(workload)
  return form.countInSpec && form.read(object, fieldOf(workload)).replicas === workload.replicas
}

/** The manifest that kubectl applied last; undefined: there is none, or it cannot be read. */
function manifestIn(object: Json): Json | undefined {
  const text = annotationsOf(object)[LAST_APPLIED]
  if (typeof text !== 'string') return undefined
  try {
    return jsonOf(JSON.parse(text))
  } catch {
    // Anybody may write that annotation.
    return undefined
  }
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
