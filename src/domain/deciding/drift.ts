import { formOf } from '../sleeping/forms.ts'
import type { Pin } from '../workload/state.ts'
import { isScaled } from '../workload/workload.ts'
import { because, type PartialDecision } from './decision.ts'
import type { Desired } from './desired.ts'
import { autoscalerOf, isStoppedByPins } from './scaling.ts'
import type { Situation } from './situation.ts'

/** The decision about a workload whose pods others changed against its marks; undefined: pods and marks agree. */
export function driftOf(situation: Situation, desire: Desired): PartialDecision | undefined {
  const { state, override, keda } = situation
  if (state.pin) return pinDrift(situation, state.pin)
  if (!state.asleep) return scaledBackDown(situation)
  if (situation.isAtRest) return undefined
  if (!override) return sleeperDrift(situation, desire)
  // Nobody asked for a poll of KEDA's, before it is paused.
  const isPoll = keda.scales && situation.scaling.isAutomatic
  return isPoll ? asleepAgain(situation) : adopted(situation)
}

/** Somebody woke it to fewer replicas than were kept, and scaled it to 0 again: it sleeps again, with those kept. */
function scaledBackDown(situation: Situation): PartialDecision | undefined {
  const { counts, keda } = situation
  const { toGiveBack: replicas } = counts
  if (replicas === undefined || situation.wantsPods) return undefined
  // Scaling to 0 leaves no field manager, and KEDA does so.
  if (keda.scales) return undefined
  const { by, who } = situation.scaling
  const reason = because('manual_scaling', () => `scaled to 0 by ${who}`, { values: { by } })
  return { action: 'snooze', adopts: true, trigger: 'manual', by, replicas, reason }
}

/** A pinned workload in another state than pinned: somebody changed it while the webhook was unavailable. */
function pinDrift(situation: Situation, pin: Pin): PartialDecision | undefined {
  const { state, counts, keda, wantsPods } = situation
  if (pin.state === 'snoozed') {
    if (situation.looksAsleep) return undefined
    const reason = because('pin_enforced', () => 'pinned asleep, and found running')
    const replicas = state.asleep ? counts.kept : counts.toKeep
    return { action: 'snooze', trigger: 'pin', reason, replicas }
  }
  const slipped = wantsPods && hasSlipped(situation, pin)
  if (!state.asleep && (pin.replicas === 0 || keda.decides || (wantsPods && !slipped))) return undefined
  const found = wantsPods && !state.asleep ? situation.scaling.what : 'scaled down'
  const reason = because('pin_enforced', () => `pinned awake, and found ${found}`)
  // It sleeps although it is pinned awake: an old pin came back, and the kept count is newer than the pin's.
  const replicas = (state.asleep && counts.toWake) || pin.replicas
  // A pin that restores a manually set count keeps the count that the manual wake kept.
  const kept = state.woken?.set === replicas ? state.woken.kept : undefined
  return { action: 'wake', trigger: 'pin', reason, replicas, kept }
}

/** Whether somebody whom the webhook would have refused set another count; an autoscaler's count is left. */
function hasSlipped(situation: Situation, pin: Pin): boolean {
  const { workload } = situation
  return formOf(workload).scales && workload.replicas !== pin.replicas && isStoppedByPins(situation)
}

/** Somebody woke it: the marks follow. */
function adopted({ counts, scaling, override }: Situation): PartialDecision {
  const { by, who, what, isAutomatic } = scaling
  const text = () => `${what} by ${who}${override ? ' while overridden' : ''}`
  return {
    action: 'adopt',
    adopts: true,
    ...(isAutomatic ? { trigger: 'recovery' } : { trigger: 'manual', by }),
    replicas: counts.toKeep,
    reason: because(isAutomatic ? 'recovery' : 'manual_scaling', text, { values: { by } }),
    kept: counts.stillKept,
  }
}

/** Somebody else woke it: a manual wake if it was scaled; otherwise it is put back to sleep. */
function sleeperDrift(situation: Situation, desire: Desired): PartialDecision | undefined {
  if (situation.scaling.isManual) return adopted(situation)
  return desire.want === 'awake' ? undefined : asleepAgain(situation)
}

/** It runs, and no person woke it. */
function asleepAgain(situation: Situation): PartialDecision {
  const replicas = countAsleepAgain(situation)
  const { by, who } = situation.scaling
  const reason = because(
    'recovery',
    () => `found running although asleep (changed by ${who}): ${replicas} are kept and it sleeps again`,
    { values: { by } },
  )
  return { action: 'snooze', trigger: 'recovery', reason, replicas }
}

/**
 * The count to keep. A sync of a manifest sets the count that somebody wants; an autoscaler without load does not. Any
 * other client may be KEDA's operator or a person, so its count is kept only if it is higher than the kept one.
 */
function countAsleepAgain({ workload, counts }: Situation): number {
  const { kept, isLowered, toKeep } = counts
  if (!isScaled(workload)) return isLowered ? kept : toKeep
  return autoscalerOf(workload) === undefined ? Math.max(kept, workload.replicas) : kept
}

/** The count to keep for a request that puts to sleep, perhaps a sleeper that others have woken. */
export function countKeptBy(situation: Situation): number {
  return situation.state.asleep ? countAsleepAgain(situation) : situation.counts.toKeep
}
