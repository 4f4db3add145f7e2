import { carryOut, type PatchOperation } from '../json-patch.ts'
import { valueAt } from '../json-pointer.ts'
import { foundAt, operationsOn } from '../sleeping/field.ts'
import { readWorkload } from '../workload/reading.ts'
import type { ReadingRules } from '../workload/settings-rules.ts'
import { Unreadable } from '../workload/state-codec.ts'
import { restOf as restIn } from '../workload/state.ts'
import { currentReplicas, type Workload } from '../workload/workload.ts'
import { MARK, valueOf, type Companion } from './companion.ts'
import { keptBy, markOf } from './mark.ts'

/** The values to set of a companion; null: to remove, absent: to leave. */
export interface PauseChange {
  readonly value?: unknown
  /** Our mark; null: the pause ends. */
  readonly mark: string | null
}

/** The count at which a workload sleeps, as its state says; false: it does not sleep, undefined: unknown. */
export function restOf(workload: Workload, rules: ReadingRules): number | false | undefined {
  if (workload.deleting) return undefined
  const reading = readWorkload(workload, rules)
  if (reading instanceof Unreadable) return undefined
  const { state } = reading
  return state.asleep ? Math.min(currentReplicas(workload), restIn(state)) : false
}

/**
 * The change of an object, so that it neither wakes its sleeping workload nor is paused beside an awake one; undefined:
 * none. `rest`: the result of `restOf`, and false if the workload does not exist. It depends on the present alone, so the
 * next evaluation completes an interrupted change.
 * - Other people's pauses stay as they are.
 * - If others set another value beside our mark, only the mark is removed.
 * - One that is being deleted is paused no more: an operator may leave what is paused alone, its finalizer, too.
 */
export function pauseChange(companion: Companion, rest: number | false | undefined): PauseChange | undefined {
  const { pause } = companion.row
  if (!pause || rest === undefined) return undefined
  const [value, kept] = [valueOf(companion), keptBy(companion)]
  const isOurs = kept !== undefined && value === kept.set
  const wanted = rest === false || companion.deleting ? undefined : pause.at(rest)
  if (wanted !== undefined) {
    if (isOurs ? value === wanted : pause.isMet(companion, wanted)) return undefined
    const former = isOurs || value === undefined ? (kept?.former ?? null) : value
    return { value: wanted, mark: markOf(companion, { set: wanted, former }) }
  }
  if (kept === undefined) return undefined
  if (!isOurs) return { mark: null }
  return { value: pause.back ? pause.back(companion, kept.former) : kept.former, mark: null }
}

/** The change as one JSON Patch, which tests the uid and each place that the change depends on. */
export function pausePatch({ row, uid, object }: Companion, { value, mark }: PauseChange): PatchOperation[] {
  const places = [row.place, MARK, ...(row.pause?.tested ?? [])]
  const patch: PatchOperation[] = [
    { op: 'test', path: '/metadata/uid', value: uid },
    ...distinct(places.map((place) => testAt(object, place))),
  ]
  const after = structuredClone(object)
  for (const [place, wanted] of [
    [row.place, value],
    [MARK, mark],
  ] as const) {
    const operations = operationsAt(after, place, wanted)
    carryOut(after, operations)
    patch.push(...operations)
  }
  return patch
}

/** `test` with null passes on what is absent, if the object around it is there. */
function testAt(object: object, place: string): PatchOperation {
  const { path, value } = foundAt(object, place)
  return { op: 'test', path, value }
}

function operationsAt(object: object, place: string, wanted: unknown): PatchOperation[] {
  const value = valueAt(object, place)
  if (wanted === undefined || wanted === (value ?? null)) return []
  if (wanted === null) return [{ op: 'remove', path: place }]
  return operationsOn(value === undefined ? { found: foundAt(object, place) } : {}, place, wanted)
}

function distinct(tests: readonly PatchOperation[]): PatchOperation[] {
  return tests.filter(({ path }, at) => tests.findIndex((each) => each.path === path) === at)
}
