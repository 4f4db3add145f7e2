import { ANNOTATION } from '../workload.ts'
import type { ImportedObject, MergePatch, Step } from './imported-object.ts'
import { saysWanted } from './settings.ts'
import type { Wanted } from './wanted.ts'

/** The step that writes these annotations; none where there is nothing to write. */
export function stepOf(
  object: ImportedObject,
  wanted: Wanted,
  annotations: MergePatch,
  says: readonly string[] = [],
): Step[] {
  if (Object.keys(annotations).length === 0) return []
  return [
    {
      object,
      verdict: wanted.differs.length > 0 ? 'approximated' : 'mapped',
      says: [...says, saysWanted(wanted), ...wanted.differs],
      patch: { metadata: { annotations } },
    },
  ]
}

/** Nothing may take it that does not know what it was: where it would inherit a schedule, it is left out of that. */
export function refusalOf(object: ImportedObject, says: readonly string[], inherited: Wanted): Step {
  if (!inherited.enabled) return { object, verdict: 'refused', says }
  const patch = { metadata: { annotations: { [ANNOTATION.enabled]: 'false' } } }
  return { object, verdict: 'refused', says, patch }
}
