import { stepOf } from '../json-pointer.ts'
import type { PatchOperation } from '../json-patch.ts'
import { readWorkload } from '../workload/reading.ts'
import type { ReadingRules } from '../workload/settings-rules.ts'
import { Unreadable } from '../workload/state-codec.ts'
import type { Workload } from '../workload/workload.ts'
import {
  isMarked,
  PAUSE_ANNOTATION,
  PAUSE_ANNOTATIONS,
  PAUSED_AT,
  pausedByOthers,
  type PauseAnnotation,
  type ScaledObject,
} from './scaled-object.ts'

/** The annotations of a ScaledObject to set; null: to remove. */
export type PauseChange = Readonly<Partial<Record<PauseAnnotation, string | null>>>

const ANNOTATIONS = '/metadata/annotations'

/** Whether a workload's state says that it sleeps, so that KEDA has to pause; undefined: unknown. */
export function sleeps(workload: Workload, rules: ReadingRules): boolean | undefined {
  if (workload.deleting) return undefined
  const reading = readWorkload(workload, rules)
  return reading instanceof Unreadable ? undefined : reading.state.asleep
}

/**
 * The change of a ScaledObject, so that KEDA neither wakes its sleeping workload nor is paused beside an awake one;
 * undefined: none. `asleep`: the result of `sleeps`, and false if the workload does not exist. It depends on the
 * present alone, so the next evaluation completes an interrupted change.
 * - Other people's pauses stay as they are.
 * - If others set another value of `paused-replicas` beside our mark, only the mark is removed.
 */
export function pauseChange(object: ScaledObject, asleep: boolean | undefined): PauseChange | undefined {
  const { pausedReplicas, mark } = object.annotations
  if (object.deleting || asleep === undefined) return undefined
  if (asleep) {
    const isPaused = pausedReplicas !== undefined || pausedByOthers(object) !== undefined
    return isPaused ? undefined : { pausedReplicas: PAUSED_AT, mark: mark ?? '' }
  }
  return isMarked(object) ? unpaused(object) : undefined
}

function unpaused({ annotations: { pausedReplicas, mark } }: ScaledObject): PauseChange {
  return pausedReplicas === PAUSED_AT ? { pausedReplicas: mark || null, mark: null } : { mark: null }
}

/** The change as one JSON Patch, which tests the uid and the three annotations. */
export function pausePatch(object: ScaledObject, change: PauseChange): PatchOperation[] {
  const { uid, annotations, hasAnnotations } = object
  const tests: PatchOperation[] = [{ op: 'test', path: '/metadata/uid', value: uid }]
  if (!hasAnnotations) {
    const added = Object.entries(change).filter(([, value]) => value !== null)
    const value = Object.fromEntries(
      added.map(([name, text]) => [PAUSE_ANNOTATION[name as PauseAnnotation], text]),
    )
    // `test` with null passes on an absent map.
    return [...tests, { op: 'test', path: ANNOTATIONS, value: null }, { op: 'add', path: ANNOTATIONS, value }]
  }
  const path = (name: PauseAnnotation) => `${ANNOTATIONS}/${stepOf(PAUSE_ANNOTATION[name])}`
  for (const name of PAUSE_ANNOTATIONS)
    tests.push({ op: 'test', path: path(name), value: annotations[name] ?? null })
  const operations = PAUSE_ANNOTATIONS.flatMap((name): PatchOperation[] => {
    const value = change[name]
    if (value === undefined || value === (annotations[name] ?? null)) return []
    return [value === null ? { op: 'remove', path: path(name) } : { op: 'add', path: path(name), value }]
  })
  return [...tests, ...operations]
}
