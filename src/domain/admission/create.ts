import type { Instant } from '../../process/clock.ts'
import type { Rules } from '../deciding/rules.ts'
import { annotationChange, changeBetween } from '../workload/change.ts'
import { withoutRequest } from '../workload/marks.ts'
import { countAlone, floorOf, labelCount, readWithoutState, stateOf, withState } from '../workload/reading.ts'
import { EMPTY_STATE, withRest, type State } from '../workload/state.ts'
import { looksAsleep, OWN_LABELS, STATE_ANNOTATIONS, type Workload } from '../workload/workload.ts'
import { annotationFault, SETTINGS, withoutEffect } from './annotations.ts'
import { deny, patched, type AdmissionDecision } from './decision.ts'
import { about, told } from './messages.ts'

const NOT_BY_CREATION =
  ': dormouse.dev/request does nothing on creation and was removed: write it once the workload exists'

/**
 * Decides on the creation of a workload, which may be moved or restored from a backup: keeps its count alone. A state is
 * signed for one uid, and there is none yet, so the controller's first write signs it.
 */
export function admitCreate(
  created: Workload,
  now: Instant,
  rules: Rules,
  unknown: readonly string[] = [],
): AdmissionDecision {
  const fault = annotationFault(SETTINGS, undefined, created.annotations)
  if (fault !== undefined) return deny('invalid_annotation', about(created, `: ${fault}`))
  const reading = readWithoutState(withoutMarks(created), rules)
  const floor = floorOf(reading)
  const carried = carriedState(created, floor) ?? keptByLabel(created, floor, now)
  const { snoozeKey } = created
  const target = carried
    ? withState({ ...reading, workload: { ...reading.workload, snoozeKey } }, carried)
    : reading
  const bare = withoutRequest(created)
  const stripped = isMarked(created) ? changeBetween(bare, target) : undefined
  const asks = bare !== created
  const kept = carried
    ? 'brought a dormouse.dev/state: only its kept count was kept'
    : 'brought dormouse.dev marks without a usable state: they were removed'
  const says = [
    ...(asks ? [NOT_BY_CREATION] : []),
    ...(stripped ? [kept] : []),
    ...withoutEffect(undefined, created, unknown, now, rules),
  ]
  const reason = stripped ? 'stripped' : asks ? 'request_ignored' : 'free'
  const annotations = { ...stripped?.annotations, ...annotationChange(created, bare) }
  return patched(reason, created, { ...stripped, annotations }, told(created, says))
}

function isMarked({ annotations, labels, snoozeKey }: Workload): boolean {
  return (
    STATE_ANNOTATIONS.some((name) => annotations[name] !== undefined) ||
    OWN_LABELS.some((key) => labels?.[key] !== undefined) ||
    snoozeKey !== undefined
  )
}

/** undefined: it has none that can be read, or one whose count means nothing here. */
function carriedState(created: Workload, floor: number): State | undefined {
  const state = stateOf(created, {})
  return state && countAlone(state, created, floor)
}

/** The label may outlive the annotations: a workload created asleep with the label alone wakes to its count. */
function keptByLabel(created: Workload, floor: number, now: Instant): State | undefined {
  const replicas = labelCount(created)
  if (replicas === undefined || !looksAsleep(created, Math.min(floor, replicas))) return undefined
  const snoozed = { at: now, replicas, trigger: 'recovery', by: null } as const
  return { ...EMPTY_STATE, asleep: true, snoozed: withRest(snoozed, floor) }
}

function withoutMarks(workload: Workload): Workload {
  const { state: _state, history: _history, request: _request, ...annotations } = workload.annotations
  const ours: ReadonlySet<string> = new Set(OWN_LABELS)
  const labels = Object.fromEntries(Object.entries(workload.labels ?? {}).filter(([key]) => !ours.has(key)))
  return { ...workload, annotations, labels, snoozeKey: undefined }
}
