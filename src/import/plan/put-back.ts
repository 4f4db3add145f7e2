import { PAUSED_AT, PAUSED_BY_OTHERS, PAUSED_REPLICAS } from '../../domain/autoscaling/scaled-object.ts'
import { PAUSED } from '../../domain/companions/companion.ts'
import { annotating, type ImportedObject, type MergePatch, type Step } from './imported-object.ts'
import { rowOf } from './kinds.ts'
import { KEPT, KEPT_PAUSE, marksOf, without } from './marks.ts'
import type { Settings } from './program.ts'

const NOT_PAUSED = '-1'

/**
 * Restores objects that the downscaler changed and Dormouse does not manage. `isAdopted`: whether the workload with
 * this name, in the same namespace, is adopted.
 */
export function putBack(object: ImportedObject, isAdopted: (name: string) => boolean): Step[] {
  const marks = marksOf(object)
  if (Object.keys(marks).length === 0) return []
  const kept = marks[KEPT]
  const step = (verdict: Step['verdict'], says: string, patch?: MergePatch): Step[] => [
    { object, verdict, says: [says], ...(patch && { patch }) },
  ]
  const goes = annotating(without(marks))
  if (kept === undefined)
    return step('approximated', "Dormouse leaves this kind alone: only the tool's marks go", goes)
  if (object.kind === 'Job')
    return step(
      'refused',
      'it stays suspended, since to resume it starts pods: set spec.suspend to false when it may run',
    )
  if (object.kind === 'ScaledObject') {
    const { says, annotations } = pausedBefore(object, marks, isAdopted)
    return step('mapped', says, annotating({ ...without(marks), ...annotations }))
  }
  const spec = rowOf(object.kind).before?.(kept, object.spec ?? {})
  if (!spec) return step('refused', `the tool kept '${kept}', which cannot be put back`)
  const patch = { ...goes, spec }
  return Object.values(spec).some((value) => value === kept || value === Number(kept))
    ? step('mapped', `put back: ${shown(spec)}`, patch)
    : step('approximated', `put back: ${shown(spec)} (the tool kept ${kept})`, patch)
}

/** Dormouse takes over the pause of a workload that it adopts: without it KEDA would wake the workload. */
function pausedBefore(
  object: ImportedObject,
  marks: Settings,
  isAdopted: (name: string) => boolean,
): { says: string; annotations: MergePatch } {
  const kept = marks[KEPT] ?? NOT_PAUSED
  const before = marks[KEPT_PAUSE] ?? (kept === NOT_PAUSED ? undefined : kept)
  const isOthers = object.metadata.annotations?.[PAUSED_BY_OTHERS] !== undefined
  if (isAdopted(object.spec?.scaleTargetRef?.name ?? '') && !isOthers) {
    const annotations = { [PAUSED_REPLICAS]: PAUSED_AT, [PAUSED]: before ?? '' }
    return { says: 'it stays paused, now for Dormouse', annotations }
  }
  const says = before === undefined ? 'put back: not paused at a count' : `put back: paused at ${before}`
  return { says, annotations: { [PAUSED_REPLICAS]: before ?? null } }
}

function shown(spec: MergePatch): string {
  return Object.entries(spec)
    .map(([field, value]) => `${field} ${JSON.stringify(value)}`)
    .join(', ')
}
