import type { Instant } from '../../process/clock.ts'
import type { Rules } from '../deciding/rules.ts'
import { changeBetween } from '../workload/change.ts'
import { withoutRequest } from '../workload/marks.ts'
import { countAlone, labelCount, readWithoutState, stateOf, withState } from '../workload/reading.ts'
import { EMPTY_STATE, type State } from '../workload/state.ts'
import { isRunning, OWN_LABELS, STATE_ANNOTATIONS, type Workload } from '../workload/workload.ts'
import { annotationFault, SETTINGS, withoutEffect } from './annotations.ts'
import { allow, deny, patched, withWarnings, type AdmissionDecision } from './decision.ts'
import { about } from './messages.ts'
import { ignoringRequest } from './request-annotation.ts'

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
  const decided = decideCreate(withoutRequest(created), now, rules)
  const asks = created.annotations.request !== undefined
  const decision = asks ? ignoringRequest(decided, created, NOT_BY_CREATION) : decided
  if (decision.type === 'denied') return decision
  return withWarnings(decision, withoutEffect(undefined, created, unknown, now, rules))
}

function decideCreate(created: Workload, now: Instant, rules: Rules): AdmissionDecision {
  const fault = annotationFault(SETTINGS, undefined, created.annotations)
  if (fault !== undefined) return deny('invalid_annotation', about(created, `: ${fault}`))
  const { annotations, labels, snoozeKey } = created
  const isMarked =
    STATE_ANNOTATIONS.some((name) => annotations[name] !== undefined) ||
    OWN_LABELS.some((key) => labels?.[key] !== undefined)
  if (!isMarked && snoozeKey === undefined) return allow('free')
  const carried = carriedState(created) ?? keptByLabel(created, now)
  const bare = withoutMarks(created)
  const reading = readWithoutState(bare, rules)
  const target = carried
    ? withState({ ...reading, workload: { ...reading.workload, snoozeKey } }, carried)
    : reading
  const change = changeBetween(created, target)
  if (!change) return allow('free')
  const says = carried
    ? 'brought a dormouse.dev/state: only its kept count was kept'
    : 'brought dormouse.dev marks without a usable state: they were removed'
  return patched('stripped', created, change, [about(created, says)])
}

/** undefined: it has none that can be read, or one whose count means nothing here. */
function carriedState(created: Workload): State | undefined {
  const state = stateOf(created, {})
  return state && countAlone(state, created)
}

/** The label may outlive the annotations: a workload created asleep with the label alone wakes to its count. */
function keptByLabel(created: Workload, now: Instant): State | undefined {
  const replicas = labelCount(created)
  if (replicas === undefined || isRunning(created)) return undefined
  return { ...EMPTY_STATE, asleep: true, snoozed: { at: now, replicas, trigger: 'recovery', by: null } }
}

function withoutMarks(workload: Workload): Workload {
  const { state: _state, history: _history, ...annotations } = workload.annotations
  const ours: ReadonlySet<string> = new Set(OWN_LABELS)
  const labels = Object.fromEntries(Object.entries(workload.labels ?? {}).filter(([key]) => !ours.has(key)))
  return { ...workload, annotations, labels, snoozeKey: undefined }
}
