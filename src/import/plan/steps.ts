import type { Instant } from '../../process/clock.ts'
import { ANNOTATION } from '../../domain/annotations.ts'
import { formatRequest, REQUEST_ANNOTATION } from '../../domain/requests/annotation.ts'
import { compileSchedule } from '../../domain/schedule/schedule.ts'
import { annotating, type ImportedObject, type MergePatch, type Step } from './imported-object.ts'
import { adoptedWith, keptByDormouse, marksOf, without } from './marks.ts'
import { annotationsOf, leftAlone, saysWanted, type Wanted } from './wanted.ts'

/** A workload, the settings that it is to have, and the settings that it inherits. */
export interface Planned {
  readonly object: ImportedObject
  readonly wanted: Wanted
  /** Inherited when the import is done: from its Namespace and the policies. */
  readonly inherited: Wanted
  /** Inherited from the policies alone, as long as its Namespace is not annotated. */
  readonly byPolicies: Wanted
  readonly now: Instant
}

type Entry = readonly [annotation: string, value: unknown]

/** The step that writes these annotations; none if the object has them already. */
export function stepOf(
  object: ImportedObject,
  wanted: Wanted,
  annotations: MergePatch,
  says: readonly string[] = [],
): Step[] {
  const own = object.metadata.annotations ?? {}
  const isNew = ([name, value]: Entry) => (value === null ? name in own : own[name] !== value)
  if (!Object.entries(annotations).some(isNew)) return []
  const sentences = [...says, saysWanted(wanted), ...wanted.differs]
  return [{ object, verdict: verdictOf(wanted), says: sentences, patch: annotating(annotations) }]
}

/** Leaves an object to a person, and excludes it from inherited hours: the count to wake it with is not known. */
export function refusalOf(object: ImportedObject, says: readonly string[], inherited = leftAlone()): Step {
  const isExcluded = object.metadata.annotations?.[ANNOTATION.enabled] === 'false'
  if (!inherited.enabled || isExcluded) return { object, verdict: 'refused', says }
  return { object, verdict: 'refused', says, patch: annotating({ [ANNOTATION.enabled]: 'false' }) }
}

/** The reason for refusing a sleeper that has an owner. */
export const OF_ANOTHER =
  'it is asleep and belongs to another object, to which Dormouse leaves it: wake it by hand'

/**
 * Takes a sleeper over, with the count that the other tool recorded. This comes before its Namespace is annotated, so
 * the sleeper gets temporary annotations: all settings that it will inherit. A later patch removes them.
 */
export function adoptionOf(planned: Planned, recorded: number): Step {
  const { object, wanted, inherited } = planned
  const own = object.metadata.annotations ?? {}
  const kept = keptByDormouse(object)
  const isAdopted = kept !== undefined
  // An earlier import refused it, or a person excluded it.
  const isExcluded = own[ANNOTATION.enabled] === 'false'
  const isFree = ([name]: Entry) => own[name] === undefined || (name === ANNOTATION.enabled && isExcluded)
  const temporary = isAdopted ? [] : temporaryAnnotations(planned).filter(isFree)
  const request = formatRequest({ request: { action: 'adopt', count: recorded } })
  const annotations = {
    ...(isExcluded && { [ANNOTATION.enabled]: null }),
    ...annotationsOf(wanted, inherited),
    ...Object.fromEntries(temporary),
    ...without(marksOf(object)),
    ...(!isAdopted && { [REQUEST_ANNOTATION]: request }),
  }
  // If Dormouse put it to sleep after the tool did, its count is the newer one, and is not compared.
  const isComparable = !isAdopted || kept === recorded || adoptedWith(object) !== undefined
  return {
    object,
    verdict: verdictOf(wanted),
    says: [
      saysKept(kept, recorded),
      saysWanted(wanted),
      ...(isAwakeAtOnce(planned) ? ['Dormouse wakes it at once, since it is to be awake now'] : []),
      ...wanted.differs,
    ],
    ...(isComparable && { recorded }),
    ...(Object.keys(annotations).length > 0 && { patch: annotating(annotations) }),
    ...laterRemoved([...temporary, ...leftBehind(planned)]),
  }
}

/** Removes the temporary annotations that an interrupted import left on a workload. */
export function cleaningUp(planned: Planned): Step[] {
  const { object, wanted } = planned
  const left = leftBehind(planned)
  if (left.length === 0) return []
  return [{ object, verdict: 'mapped', says: ['adopted before', saysWanted(wanted)], ...laterRemoved(left) }]
}

/** Whether a sleeper wakes as soon as it is adopted. An inherited awake-until wakes it outside of its hours, too. */
export function isAwakeAtOnce({ wanted, inherited: { awakeUntil = 0 }, now }: Planned): boolean {
  return awakeUntil > now || (wanted.autoWake && stateAt(now, wanted) === 'awake')
}

/** Whether a workload that is awake falls asleep as soon as it is annotated. */
export function isAsleepAtOnce({ wanted, inherited, now }: Planned): boolean {
  const awakeUntil = Math.max(inherited.awakeUntil ?? 0, wanted.awakeUntil ?? 0)
  return wanted.enabled && awakeUntil <= now && stateAt(now, wanted) === 'asleep'
}

function stateAt(now: Instant, { schedule, timezone }: Wanted): 'awake' | 'asleep' {
  return compileSchedule(schedule, timezone).stateAt(now)
}

/** The settings that a workload will inherit from its Namespace, and does not inherit yet. */
function temporaryAnnotations({ wanted, inherited, byPolicies }: Planned): Entry[] {
  const lasting = annotationsOf(wanted, inherited)
  return Object.entries(annotationsOf(wanted, byPolicies)).filter(([name]) => !(name in lasting))
}

/** Temporary annotations that an earlier import wrote and did not remove. */
function leftBehind(planned: Planned): Entry[] {
  const { object } = planned
  if (adoptedWith(object) === undefined) return []
  return temporaryAnnotations(planned).filter(
    ([name, value]) => object.metadata.annotations?.[name] === value,
  )
}

function laterRemoved(temporary: readonly Entry[]): Pick<Step, 'inherits'> {
  if (temporary.length === 0) return {}
  return { inherits: annotating(without(Object.fromEntries(temporary))) }
}

function verdictOf({ differs }: Wanted): Step['verdict'] {
  return differs.length > 0 ? 'approximated' : 'mapped'
}

/** `kept`: the count that Dormouse keeps already. */
function saysKept(kept: number | undefined, recorded: number): string {
  if (kept === undefined) return `adopted asleep, ${recorded} kept`
  const differs = kept === recorded ? '' : `: the ${recorded} that the tool kept are out of date`
  return `asleep by Dormouse already, ${kept} kept${differs}`
}
