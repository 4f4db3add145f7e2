import { formatRequest, REQUEST_ANNOTATION } from '../requests/annotation.ts'
import { ANNOTATION } from '../workload.ts'
import type { ImportedObject, MergePatch, Step } from './imported-object.ts'
import { adoptedWith } from './adopted.ts'
import { keptByDormouse, marksOf, without } from './marks.ts'
import { annotationsOf, saysWanted } from './settings.ts'
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

/** What a workload inherits in the end, and what of that the policies say already. */
export type Inherited = readonly [inherited: Wanted, before: Wanted]

/**
 * Takes a sleeper over with the count that the other tool recorded, before its Namespace is annotated: until it inherits
 * from that, it has all that it is to inherit as its own, so that it is right at each moment of the import.
 */
export function adoptionOf(
  object: ImportedObject,
  wanted: Wanted,
  [inherited, before]: Inherited,
  recorded: number,
): Step {
  const ours = keptByDormouse(object)
  const lasting = annotationsOf(wanted, inherited)
  const lent = Object.entries(annotationsOf(wanted, before)).filter(([name]) => !(name in lasting))
  const own = object.metadata.annotations ?? {}
  // What people wrote on it counts, except what an import that refused it wrote.
  const isFree = ([name]: Entry) => own[name] === undefined || isLeftOut([name, own[name]])
  // An import that was interrupted has lent it.
  const isLent = ([name, value]: Entry) => own[name] === value && adoptedWith(object) !== undefined
  const toLend = ours === undefined ? lent.filter(isFree) : []
  const toReturn = [...toLend, ...lent.filter(isLent)].map(([name]) => [name, null])
  const annotations = {
    ...(isLeftOut([ANNOTATION.enabled, own[ANNOTATION.enabled]]) && { [ANNOTATION.enabled]: null }),
    ...lasting,
    ...Object.fromEntries(toLend),
    ...without(marksOf(object)),
    ...(ours === undefined && { [REQUEST_ANNOTATION]: formatRequest({ verb: 'adopt', count: recorded }) }),
  }
  return {
    object,
    verdict: wanted.differs.length > 0 ? 'approximated' : 'mapped',
    says: [saysKept(ours, recorded), saysWanted(wanted), ...wanted.differs],
    // Another count of ours is newer than the tool's, unless it was adopted with that.
    ...((ours === undefined || ours === recorded || adoptedWith(object) !== undefined) && { recorded }),
    ...(Object.keys(annotations).length > 0 && { patch: { metadata: { annotations } } }),
    ...(toReturn.length > 0 && { inherits: { metadata: { annotations: Object.fromEntries(toReturn) } } }),
  }
}

type Entry = readonly [name: string, value: unknown]

function isLeftOut([name, value]: Entry): boolean {
  return name === ANNOTATION.enabled && value === 'false'
}

function saysKept(ours: number | undefined, recorded: number): string {
  if (ours === undefined) return `adopted asleep, ${recorded} kept`
  const differs = ours === recorded ? '' : `: the ${recorded} that the tool kept are out of date`
  return `asleep by Dormouse already, ${ours} kept${differs}`
}
