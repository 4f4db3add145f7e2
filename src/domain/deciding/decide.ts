import { earliest } from '../../process/clock.ts'
import { ofSource } from '../policy/settings.ts'
import { keptByOther } from '../workload/counts.ts'
import type { Remedy } from '../workload/explanation.ts'
import type { Reading } from '../workload/reading.ts'
import { isManaged } from '../workload/settings.ts'
import { operationInProgress } from '../workload/state.ts'
import { countFault, nameOf } from '../workload/workload.ts'
import { automatic } from './automatic.ts'
import { because, lookAgain, noAction, reworded, type Decision, type PartialDecision } from './decision.ts'
import { desired } from './desired.ts'
import { driftOf } from './drift.ts'
import { afterHolds } from './holds.ts'
import { intentOfMove } from './intent.ts'
import type { Rules } from './rules.ts'
import type { Situation } from './situation.ts'

/** The decision about a workload. Idempotent: once it is carried out, the next decision changes nothing. */
export function decide(situation: Situation): Decision {
  const { workload, state, now, rules, counts } = situation
  const asItIs = { trigger: 'schedule', by: null, replicas: counts.kept } as const
  if (workload.deleting) return { ...asItIs, ...noAction('deleting', () => 'it is being deleted') }
  const running = operationInProgress(state)
  const timeout = running ? running.at + rules.policy.operationTimeout : 0
  const { lookAgainAt, ...decision } = undeleted(situation)
  return { ...asItIs, ...decision, ...lookAgain(earliest(lookAgainAt, timeout > now ? timeout : undefined)) }
}

function undeleted(situation: Situation): PartialDecision {
  const { reading, workload, state, rules, override } = situation
  const { enabled, effective } = reading
  const podOwner = rules.podOwnerOf?.(workload)
  if (podOwner)
    return noAction(
      'scaled_by_other',
      () => `left alone: ${nameOf(podOwner)} scales it in its place (workloadRef)`,
      { values: { owner: nameOf(podOwner) } },
    )
  if (!reading.isSettled)
    return noAction(
      'namespace_unknown',
      () => `the Namespace ${workload.namespace} is not known yet, or is being deleted, so nothing is done`,
    )
  if (enabled === 'unclear' && !situation.isHeld)
    return noAction(
      'enabled_unclear',
      () =>
        `dormouse.dev/enabled${ofSource(effective.sources.enabled)} is neither "true" nor "false", so nothing is done`,
      { values: { source: effective.sources.enabled } },
    )
  const fault = enabled || state.asleep ? countFault(workload) : undefined
  if (fault !== undefined)
    return noAction('data_at_risk', () => `left alone: ${fault}`, { values: { fault } })
  const expired = state.override && !override ? ({ overrideExpired: true } as const) : {}
  const decision = enabled === true || situation.isHeld ? managed(situation) : notManaged(situation)
  return {
    ...expired,
    ...decision,
    ...lookAgain(earliest(decision.lookAgainAt, override?.until ?? undefined)),
  }
}

function notManaged(situation: Situation): PartialDecision {
  const { reading, workload, state, rules } = situation
  if (state.asleep) {
    const reason = because('disabled', () => 'managing was turned off, so it wakes')
    const { toWake: replicas } = situation.counts
    return afterHolds(situation, { action: 'wake', trigger: 'disable', reason, replicas, cleared: true })
  }
  const { enabled } = reading.effective.sources
  const text = () => {
    const off = ofSource(enabled)
    if (off === '') return 'not managed'
    const found = workload.annotations.enabled ?? rules.inherited(workload)?.settings.enabled?.text ?? ''
    return `not managed, since dormouse.dev/enabled${off} is "${found.trim()}"`
  }
  const decision = noAction('not_managed', text, {
    values: { source: enabled },
    remedy: toManage(reading, rules),
  })
  // If it lost an inherited `enabled`, write nothing; its state waits until it is managed again.
  return enabled === 'workload' ? { ...decision, cleared: true } : decision
}

/** The request that makes it managed: it removes its own `enabled` if that alone is in the way, else sets it. */
export function toManage({ workload, effective }: Reading, rules: Rules): Remedy {
  const isOwn = effective.sources.enabled === 'workload'
  const inherits = isOwn && isManaged({ ...workload, annotations: {} }, rules)
  return { action: 'enable', query: inherits ? { inherit: 'true' } : {} }
}

function managed(situation: Situation): PartialDecision {
  const { reading, state, override } = situation
  const kept = keptByOther(reading)
  if (kept !== undefined) return noAction('kept_by_other', () => kept)
  const desire = desired(situation)
  const wished = driftOf(situation, desire) ?? automatic(situation, desire)
  const withIntent = { ...wished, ...intentOfMove(situation, wished, desire.edge) }
  const isHeldForGood = state.pin !== undefined || override?.until === null
  const decision = sayingFaults(situation, afterHolds(situation, withIntent))
  return { ...lookAgain(isHeldForGood ? undefined : desire.next), ...decision }
}

/** A sleeper may be woken by what should be paused beside it; or traffic cannot wake it. */
function sayingFaults({ workload, state, rules }: Situation, decision: PartialDecision): PartialDecision {
  if (!state.asleep || decision.action !== 'none') return decision
  const beside = rules.faultBeside?.(workload)
  const traffic = rules.trafficFaultOf?.(workload)
  if (beside === undefined && traffic === undefined) return decision
  const words = (text: string) =>
    [
      text,
      beside === undefined ? [] : `what stands beside it is not paused: ${beside}`,
      traffic === undefined ? [] : `traffic cannot wake it: ${traffic}`,
    ]
      .flat()
      .join('; ')
  return { ...decision, reason: reworded(decision.reason, words) }
}
