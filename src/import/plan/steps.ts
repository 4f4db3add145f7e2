import type { Instant } from '../../process/clock.ts'
import { compileSchedule } from '../../domain/schedule/schedule.ts'
import { formatRequest, REQUEST_ANNOTATION } from '../../domain/requests/annotation.ts'
import { ANNOTATION } from '../../domain/workload/workload.ts'
import type { ImportedObject, MergePatch, Step } from './imported-object.ts'
import { adoptedWith, keptByDormouse, marksOf, without } from './marks.ts'
import { annotationsOf, leftAlone, saysWanted, type Wanted } from './wanted.ts'

/** The step that writes these annotations; none where there is nothing to write. */
export function stepOf(
  object: ImportedObject,
  wanted: Wanted,
  annotations: MergePatch,
  says: readonly string[] = [],
): Step[] {
  const own = object.metadata.annotations ?? {}
  const isNew = ([name, value]: Entry) => (value === null ? name in own : own[name] !== value)
  const isDone = !Object.entries(annotations).some(isNew)
  if (isDone) return []
  return [
    {
      object,
      verdict: wanted.differs.length > 0 ? 'approximated' : 'mapped',
      says: [...says, saysWanted(wanted), ...wanted.differs],
      patch: { metadata: { annotations } },
    },
  ]
}

/** Left to a person, and excluded from an inherited schedule, which must not act on an unknown former state. */
export function refusalOf(object: ImportedObject, says: readonly string[], inherited = leftAlone()): Step {
  const isLeftOut = object.metadata.annotations?.[ANNOTATION.enabled] === 'false'
  if (!inherited.enabled || isLeftOut) return { object, verdict: 'refused', says }
  const patch = { metadata: { annotations: { [ANNOTATION.enabled]: 'false' } } }
  return { object, verdict: 'refused', says, patch }
}

/** Why a sleeper that is owned is left: nobody would wake it. */
export const OF_ANOTHER =
  'it is asleep and belongs to another object, to which Dormouse leaves it: wake it by hand'

/** The settings that a workload inherits in the end, and the part that policies in force set already. */
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
  now: Instant,
): Step {
  const ours = keptByDormouse(object)
  const lasting = annotationsOf(wanted, inherited)
  const own = object.metadata.annotations ?? {}
  const isLeftOut = own[ANNOTATION.enabled] === 'false'
  // People's own annotations count, except those of an import that refused it.
  const isFree = ([name]: Entry) => own[name] === undefined || (name === ANNOTATION.enabled && isLeftOut)
  const lent = ours === undefined ? passing(wanted, [inherited, before]).filter(isFree) : []
  const annotations = {
    ...(isLeftOut && { [ANNOTATION.enabled]: null }),
    ...lasting,
    ...Object.fromEntries(lent),
    ...without(marksOf(object)),
    ...(ours === undefined && {
      [REQUEST_ANNOTATION]: formatRequest({ request: { action: 'adopt', count: recorded } }),
    }),
  }
  return {
    object,
    verdict: wanted.differs.length > 0 ? 'approximated' : 'mapped',
    says: [
      saysKept(ours, recorded),
      saysWanted(wanted),
      ...(isAwakeAt(now, wanted, inherited)
        ? ['Dormouse wakes it at once, since it is to be awake now']
        : []),
      ...wanted.differs,
    ],
    // Another count of ours is newer than the tool's, unless it was adopted with that.
    ...((ours === undefined || ours === recorded || adoptedWith(object) !== undefined) && { recorded }),
    ...(Object.keys(annotations).length > 0 && { patch: { metadata: { annotations } } }),
    ...givenBack([...lent, ...lentBefore(object, wanted, [inherited, before])]),
  }
}

/** Whether a sleeper with these settings wakes at once: an end of being awake that it inherits counts, whatever its hours. */
export function isAwakeAt(
  now: Instant,
  { schedule, timezone, autoWake }: Wanted,
  { awakeUntil = 0 }: Wanted,
): boolean {
  return awakeUntil > now || (autoWake && compileSchedule(schedule, timezone).stateAt(now) === 'awake')
}

/** Whether what is awake with these settings sleeps at once. */
export function isAsleepAt(now: Instant, wanted: Wanted, { awakeUntil = 0 }: Wanted): boolean {
  if (!wanted.enabled || Math.max(awakeUntil, wanted.awakeUntil ?? 0) > now) return false
  return compileSchedule(wanted.schedule, wanted.timezone).stateAt(now) === 'asleep'
}

/** Removes the temporary annotations of an interrupted import. */
export function returning(object: ImportedObject, wanted: Wanted, inherited: Inherited): Step[] {
  const lent = lentBefore(object, wanted, inherited)
  if (lent.length === 0) return []
  return [{ object, verdict: 'mapped', says: ['adopted before', saysWanted(wanted)], ...givenBack(lent) }]
}

type Entry = readonly [name: string, value: unknown]

/** Settings that it will inherit in the end, and does not inherit yet. */
function passing(wanted: Wanted, [inherited, before]: Inherited): Entry[] {
  const lasting = annotationsOf(wanted, inherited)
  return Object.entries(annotationsOf(wanted, before)).filter(([name]) => !(name in lasting))
}

function lentBefore(object: ImportedObject, wanted: Wanted, inherited: Inherited): Entry[] {
  if (adoptedWith(object) === undefined) return []
  const own = object.metadata.annotations ?? {}
  return passing(wanted, inherited).filter(([name, value]) => own[name] === value)
}

function givenBack(lent: readonly Entry[]): Pick<Step, 'inherits'> {
  if (lent.length === 0) return {}
  return { inherits: { metadata: { annotations: Object.fromEntries(lent.map(([name]) => [name, null])) } } }
}

function saysKept(ours: number | undefined, recorded: number): string {
  if (ours === undefined) return `adopted asleep, ${recorded} kept`
  const differs = ours === recorded ? '' : `: the ${recorded} that the tool kept are out of date`
  return `asleep by Dormouse already, ${ours} kept${differs}`
}
