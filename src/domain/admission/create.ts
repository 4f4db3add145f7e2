import type { Instant } from '../../clock.ts'
import type { Rules } from '../rules.ts'
import { changeBetween } from '../change.ts'
import { readWithoutState, stateOf, withState } from '../reading.ts'
import { EMPTY_STATE, type State } from '../state.ts'
import { ASLEEP_LABEL, isRunning, labelCount, type Workload } from '../workload.ts'
import { annotationFault } from './annotations.ts'
import { allow, deny, type Judgement } from './judgement.ts'
import { about } from './messages.ts'
import { withoutEffect } from './mistyped.ts'

/**
 * A workload that is moved or restored carries its own truth: of its state an intent and a kept count are
 * taken over, by nobody, since the creator wrote who it was; holds and history are another's.
 */
export function judgeCreate(
  created: Workload,
  now: Instant,
  rules: Rules,
  unknown: readonly string[] = [],
): Judgement {
  const judgement = judged(created, now, rules)
  if (judgement.type === 'deny') return judgement
  return { ...judgement, warnings: [...judgement.warnings, ...withoutEffect(undefined, created, unknown)] }
}

function judged(created: Workload, now: Instant, rules: Rules): Judgement {
  const fault = annotationFault(undefined, created)
  if (fault !== undefined) return deny('invalid_annotation', about(created, `: ${fault}`))
  const { annotations, labels, snoozeKey } = created
  if (annotations.state === undefined && labels?.[ASLEEP_LABEL] === undefined && snoozeKey === undefined)
    return allow('free')
  const carried = carriedState(created) ?? keptByLabel(created, now)
  const bare = withoutMarks(created)
  const reading = readWithoutState(bare, rules)
  const target = carried
    ? withState({ ...reading, workload: { ...reading.workload, snoozeKey } }, carried)
    : reading
  const change = changeBetween(created, target)
  if (!change) return allow('free')
  const warning = carried
    ? 'keeps of the state that came with it what was asked for and the kept count'
    : 'comes with dormouse.dev marks that hold nothing to keep: they were left out'
  return { type: 'allow', reason: 'stripped', change, warnings: [about(created, warning)] }
}

function carriedState(created: Workload): State | undefined {
  const state = stateOf(created)
  if (!state) return undefined
  const { asleep, snoozed, intent } = state
  return {
    ...EMPTY_STATE,
    asleep,
    ...(snoozed ? { snoozed: { ...snoozed, by: null } } : {}),
    ...(intent ? { intent: { ...intent, by: null } } : {}),
  }
}

/** The label survives what destroys annotations: a sleeper of which nothing else is left wakes to its count. */
function keptByLabel(created: Workload, now: Instant): State | undefined {
  const replicas = labelCount(created)
  if (replicas === undefined || isRunning(created)) return undefined
  return { ...EMPTY_STATE, asleep: true, snoozed: { at: now, replicas, trigger: 'recovery', by: null } }
}

function withoutMarks(workload: Workload): Workload {
  const { state: _, ...annotations } = workload.annotations
  const { [ASLEEP_LABEL]: __, ...labels } = workload.labels ?? {}
  return { ...workload, annotations, labels, snoozeKey: undefined }
}
