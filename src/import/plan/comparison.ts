import { counted } from '../../domain/text.ts'
import { ASLEEP_LABEL } from '../../domain/workload/workload.ts'
import { adoptedWith, keptByDormouse } from './marks.ts'
import { canSleep, hasCount, isAtRest, nameOf, type ImportedObject, type Step } from './imported-object.ts'

/** A workload, and the count that another tool recorded before it was taken over. */
export interface Recorded {
  readonly object: ImportedObject
  readonly recorded: number
}

/** Whether a workload has the count that was recorded, as kept or as running. */
export interface Comparison {
  readonly object: ImportedObject
  readonly isKept: boolean
  /** The recorded count, and that which is kept or runs. */
  readonly before: number
  readonly count: number
  /** Without a full stop. */
  readonly says: string
}

/** The sleepers that a plan takes over, or finds taken over already. */
export function recordedIn(steps: readonly Step[]): Recorded[] {
  return steps.flatMap(({ object, recorded }) => (recorded === undefined ? [] : [{ object, recorded }]))
}

/**
 * The sleepers that can be compared later: by the tool's own record, or by the adoption that Dormouse was last asked
 * for. `unknown`: how many of our sleepers have neither, because of a later request, or because no import took them
 * over.
 */
export function stillRecorded(
  steps: readonly Step[],
  objects: readonly ImportedObject[],
): { recorded: Recorded[]; unknown: number } {
  const planned = recordedIn(steps)
  const known = new Set(planned.map(({ object }) => nameOf(object)))
  const others = objects.filter((each) => canSleep(each) && !known.has(nameOf(each)))
  const asked = others.flatMap((object) => {
    const recorded = adoptedWith(object)
    return recorded === undefined ? [] : [{ object, recorded }]
  })
  const sleepers = others.filter(({ metadata }) => metadata.labels?.[ASLEEP_LABEL] !== undefined)
  const unknown = sleepers.filter((each) => adoptedWith(each) === undefined).length
  return { recorded: [...planned, ...asked], unknown }
}

/** Compares a workload as it is now. */
export function compared(object: ImportedObject, recorded: number): Comparison {
  const isOurs = object.metadata.labels?.[ASLEEP_LABEL] !== undefined
  const count = isOurs ? (keptByDormouse(object) ?? 0) : runningCount(object)
  const isKept = count === recorded
  const now = isOurs ? `asleep, ${count} kept` : count === 0 ? 'at 0, and not adopted' : `awake with ${count}`
  const was = isKept ? '' : `; ${counted(recorded, 'replica')} recorded`
  return { object, isKept, before: recorded, count, says: `${now}${was}` }
}

function runningCount(object: ImportedObject): number {
  if (isAtRest(object)) return 0
  return hasCount(object) ? (object.spec?.replicas ?? 1) : 1
}
