import { isUnmarkedSleep, labelCount, stateOf, trustIn } from './reading.ts'
import { marksRestored, withLabel } from './restoring.ts'
import type { ReadingRules } from './settings-rules.ts'
import { LAST_COUNTER } from './state-codec.ts'
import { ASLEEP_LABEL, isOlder, type Workload } from './workload.ts'

/** The newest copy of a workload whose marks were intact, and the counter of its state. */
export interface LastKnown {
  readonly counter: number
  readonly workload: Workload
}

/**
 * The workload with the annotations and labels that it should have, given its last known marks; the same object if none
 * has to be restored. Labels, count and key are not corrected here: reading the result does that. The counter only
 * grows, so a state with a lower one is an old copy; and one that does not count is nobody's.
 */
export function withMarksRestored(
  workload: Workload,
  known: LastKnown | undefined,
  rules: ReadingRules,
): Workload {
  // The informer sees an older version only where the cluster was restored from a backup: that is the truth then.
  if (!known || workload.deleting || isOlder(workload, known.workload)) return workload
  const counter = counterOf(workload, known, rules)
  if (counter === 'unclear') return workload
  const isOldCopy = counter === 'unsigned' || (counter !== undefined && isOldCounter(counter, known))
  const restored = marksRestored(workload, known.workload, isOldCopy, rules)
  return isOldCopy && sleptUnaware(workload, known.workload)
    ? withLabel(restored, ASLEEP_LABEL, workload.labels?.[ASLEEP_LABEL])
    : restored
}

/**
 * Whether a request put it to sleep while its marks were lost, so that its state seems old: the label of that sleep is
 * the only record of its count.
 */
function sleptUnaware(workload: Workload, known: Workload): boolean {
  const differs = workload.annotations.state !== known.annotations.state
  return differs && labelCount(known) === undefined && labelCount(workload) !== undefined
}

/**
 * The count of a workload that our own write put to sleep and whose marks were dropped from it; undefined: it is not so,
 * or nobody remembers the count. A write whose marks were stored has another state.
 */
export function lostCount(workload: Workload, known: LastKnown | undefined): number | undefined {
  const before = known?.workload
  if (!before || workload.deleting || isOlder(workload, before)) return undefined
  const { state } = workload.annotations
  const isOfBefore = state === undefined || state === before.annotations.state
  return isOfBefore && isUnmarkedSleep(workload, before.replicas) ? before.replicas : undefined
}

/** Whether a copy needs no mark restored, nor a count that the marks should have kept. */
export function isInOrder(workload: Workload, known: LastKnown | undefined, rules: ReadingRules): boolean {
  return withMarksRestored(workload, known, rules) === workload && lostCount(workload, known) === undefined
}

/** The last counter proves nothing: every newer state and history has it, too. */
function isOldCounter(counter: number, known: LastKnown): boolean {
  return counter <= known.counter && counter !== LAST_COUNTER
}

/** The known marks after `workload` was observed; undefined: none, since its state cannot be read, or does not count. */
export function knownAfter(
  workload: Workload,
  known: LastKnown | undefined,
  rules: ReadingRules,
): LastKnown | undefined {
  if (!isInOrder(workload, known, rules)) return known
  // A repair of an unreadable state starts another counter: it must not be taken for an old copy.
  const counter = counterOf(workload, known, rules)
  if (counter === 'unclear') return known
  return typeof counter === 'number' ? { counter, workload } : undefined
}

/**
 * The counter of its state; undefined: it has none that can be read. It is read only where the state is another text:
 * most changes are a status's.
 */
function counterOf(
  workload: Workload,
  known: LastKnown | undefined,
  rules: ReadingRules,
): number | 'unsigned' | 'unclear' | undefined {
  if (known && known.workload.annotations.state === workload.annotations.state) return known.counter
  const trust = trustIn(workload, rules)
  if (trust === 'unclear') return 'unclear'
  return trust === 'count' ? 'unsigned' : stateOf(workload, rules)?.counter
}
