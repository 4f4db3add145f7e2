import { counted } from '../../domain/text.ts'
import { ASLEEP_LABEL } from '../../domain/workload/workload.ts'
import type { InForce } from './in-force.ts'
import { saysWanted } from './wanted.ts'
import { adoptedWith, keptByDormouse } from './marks.ts'
import { canSleep, countIn, isAtRest, nameOf, type ImportedObject, type Step } from './imported-object.ts'

/** A workload, and the count that another tool recorded before it was taken over. */
export interface Recorded {
  readonly object: ImportedObject
  readonly recorded: number
}

/** A workload that was taken over: its count before and now, and what holds for it now. */
export interface Comparison {
  readonly object: ImportedObject
  readonly isKept: boolean
  /** The recorded count, and the count that is kept or runs. */
  readonly before: number
  readonly kept: number
  /** Without a full stop. */
  readonly says: string
  /** `namespace shop`; null: nobody manages it. */
  readonly by: string | null
  /** A sentence; null where nobody manages it. */
  readonly hours: string | null
}

/** The sleepers that a plan takes over, or finds taken over already. */
export function recordedIn(steps: readonly Step[]): Recorded[] {
  return steps.flatMap(({ object, recorded }) => (recorded === undefined ? [] : [{ object, recorded }]))
}

/**
 * The sleepers whose former count is still known: from the tool's own record, or from the request to adopt them, if that
 * is the last one. `unknown`: how many sleepers of ours have neither.
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

/** Compares a workload as it is now, under the settings in force. */
export function compared({ object, recorded: before }: Recorded, force: InForce): Comparison {
  const { annotations = {}, labels } = object.metadata
  const isOurs = labels?.[ASLEEP_LABEL] !== undefined
  const kept = isOurs ? (keptByDormouse(object) ?? 0) : runningCount(object)
  const isKept = kept === before
  const now = isOurs ? `asleep, ${kept} kept` : kept === 0 ? 'at 0, and not adopted' : `awake with ${kept}`
  const says = isKept ? now : `${now}; ${counted(before, 'replica')} recorded`
  const held = force.held(object, annotations)
  const [by, hours] = held.enabled ? [held.by, saysWanted(held)] : [null, null]
  return { object, isKept, before, kept, says, by, hours }
}

function runningCount(object: ImportedObject): number {
  if (isAtRest(object)) return 0
  return countIn(object) ?? 1
}
