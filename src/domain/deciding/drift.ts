import type { Instant } from '../../service/process/clock.ts'
import { autoscalerOf, fightOf, restFromFight } from './fight.ts'
import { kedaDecides } from '../autoscaling/scalers.ts'
import { isScaledByKeda } from '../workload/reading.ts'
import { managerAuthor } from '../workload/author.ts'
import { earliest, lookAgain, type PartialDecision, type Reason } from './decision.ts'
import { scheduleInForce } from './schedule-in-force.ts'
import { newIntent, wakeHold, type Desired } from './intent.ts'
import { countToGiveBack, countToKeep, countToWake, isLowered, keptCount } from '../workload/counts.ts'
import { hasCount, sleepsSuspended } from '../kinds.ts'
import type { Reading } from '../workload/reading.ts'
import type { Rules } from './rules.ts'
import type { Override, Pin } from '../workload/state.ts'
import { counted } from '../text.ts'
import { FIELD_MANAGER, isRunning, type Workload } from '../workload/workload.ts'

/** What to do about a workload whose pods others changed against its marks; undefined: pods and marks agree. */
export function driftOf(
  reading: Reading,
  override: Override | undefined,
  desire: Desired,
  now: Instant,
  rules: Rules,
): PartialDecision | undefined {
  const { pin } = reading.state
  if (pin) return pinDrift(reading, pin, rules)
  if (!reading.state.asleep) return scaledBackDown(reading, override, now, rules)
  if (!isRunning(reading.workload)) return undefined
  if (!override) return sleeperDrift(reading, desire, now, rules)
  // A poll of KEDA's, before it is paused, is nobody's wish.
  const isPoll = isScaledByKeda(reading.workload, rules) && isAutoscaling(reading.workload, rules)
  return isPoll ? asleepAgain(reading) : adopted(reading, rules)
}

/** Somebody woke it to fewer replicas than were kept, and scaled it to 0 again: it sleeps again, with those kept. */
function scaledBackDown(
  reading: Reading,
  override: Override | undefined,
  now: Instant,
  rules: Rules,
): PartialDecision | undefined {
  const replicas = countToGiveBack(reading)
  if (replicas === undefined || isRunning(reading.workload)) return undefined
  // Scaling to 0 leaves no field manager, and KEDA does so.
  if (isScaledByKeda(reading.workload, rules)) return undefined
  const { by, who } = scaling(reading)
  const reason: Reason = { code: 'manual_scaling', text: `scaled to 0 by ${who}` }
  const intent = override
    ? {}
    : { intent: newIntent(reading, now, { want: 'asleep', by, trigger: 'manual' }) }
  return { action: 'snooze', adopts: true, trigger: 'manual', by, replicas, reason, ...intent }
}

/** A pinned workload that is not as it was pinned: somebody changed it while the webhook was unavailable. */
function pinDrift(reading: Reading, pin: Pin, rules: Rules): PartialDecision | undefined {
  const { state } = reading
  const running = isRunning(reading.workload)
  if (pin.state === 'snoozed') {
    if (!running) return undefined
    const reason: Reason = { code: 'pin_enforced', text: 'pinned asleep, and found running' }
    const replicas = state.asleep ? keptCount(reading) : countToKeep(reading)
    return { action: 'snooze', trigger: 'pin', reason, replicas }
  }
  if (!state.asleep && (running || pin.replicas === 0 || kedaDecides(reading.workload, rules)))
    return undefined
  const reason: Reason = { code: 'pin_enforced', text: 'pinned active, and found scaled down' }
  // It sleeps although it is pinned active: an old pin came back, and the kept count is newer than the pin's.
  const replicas = (state.asleep && countToWake(reading)) || pin.replicas
  // A pin that restores a manually set count leaves kept what that manual wake left kept.
  const kept = state.woken?.set === replicas ? countToGiveBack(reading) : undefined
  return { action: 'wake', trigger: 'pin', reason, replicas, kept }
}

/** Somebody woke it while it was overridden: the marks follow, and no intent is formed. */
function adopted(reading: Reading, rules: Rules): PartialDecision {
  const { by, who, what } = scaling(reading)
  const isManual = !isAutoscaling(reading.workload, rules)
  return {
    action: 'adopt',
    adopts: true,
    ...(isManual ? { trigger: 'manual', by } : { trigger: 'recovery' }),
    replicas: countToKeep(reading),
    reason: { code: isManual ? 'manual_scaling' : 'recovery', text: `${what} by ${who} while overridden` },
    kept: stillKept(reading),
  }
}

/** Somebody else woke it: a manual wake if it was scaled; otherwise it is put back to sleep. */
function sleeperDrift(
  reading: Reading,
  desire: Desired,
  now: Instant,
  rules: Rules,
): PartialDecision | undefined {
  const { workload } = reading
  const { by, who, what } = scaling(reading)
  if (!isManualScaling(workload, rules)) return desire.want === 'awake' ? undefined : asleepAgain(reading)
  const replicas = countToKeep(reading)
  const hold = wakeHold(reading, now, rules)
  const intent = newIntent(reading, now, { want: 'awake', by, trigger: 'manual', ...hold })
  const reason: Reason = { code: 'manual_scaling', text: `${what} by ${who}` }
  const next = earliest(intent.hold, scheduleInForce(reading, now)?.nextEdge?.at)
  return {
    action: 'adopt',
    adopts: true,
    trigger: 'manual',
    by,
    replicas,
    reason,
    intent,
    kept: stillKept(reading),
    ...lookAgain(next),
  }
}

/** Nobody woke it by hand, and yet it runs. */
function asleepAgain(reading: Reading): PartialDecision {
  const replicas = countAsleepAgain(reading)
  const { who } = scaling(reading)
  const text = `found running although asleep (changed by ${who}): ${replicas} are kept and it sleeps again`
  return { action: 'snooze', trigger: 'recovery', reason: { code: 'recovery', text }, replicas }
}

/**
 * A sync of the manifest tells the count that somebody wants; an autoscaler that sees no load does not. Whoever has the
 * name of neither may be KEDA's operator or a person: of what they set, only more than is kept can be lost.
 */
function countAsleepAgain(reading: Reading): number {
  const { workload } = reading
  if (!isScaled(workload)) return isLowered(reading) ? keptCount(reading) : countToKeep(reading)
  const kept = keptCount(reading)
  return autoscalerOf(workload) === undefined ? Math.max(kept, workload.replicas) : kept
}

/** Who brings a sleeper up to fewer replicas than are kept does not lower the kept count, unless a manifest says so. */
export function stillKept(reading: Reading): number | undefined {
  const { workload } = reading
  const kept = keptCount(reading)
  return isLowered(reading) || (isScaled(workload) && workload.replicas < kept) ? kept : undefined
}

/** The count to keep where a request puts to sleep what may be a sleeper that others have woken. */
export function countKeptBy(reading: Reading, rules: Rules): number {
  const { workload, state } = reading
  if (!state.asleep) return countToKeep(reading)
  return isManualScaling(workload, rules)
    ? (stillKept(reading) ?? countToKeep(reading))
    : countAsleepAgain(reading)
}

/** Whether the scale subresource set its count: `kubectl scale`, or an autoscaler. */
export function isScaled({ replicasManager }: Workload): boolean {
  return replicasManager?.subresource === 'scale'
}

/** Scaling by an autoscaler does not count as manual. */
function isManualScaling(workload: Workload, rules: Rules): boolean {
  if (!isScaled(workload) || autoscalerOf(workload) !== undefined) return false
  // KEDA's operator may have any name, and any account.
  return !isScaledByKeda(workload, rules) || isByAPerson(workload)
}

/** Whether an autoscaler set its count. */
function isAutoscaling(workload: Workload, rules: Rules): boolean {
  return isScaled(workload) && !isManualScaling(workload, rules)
}

/** Whether a person scaled it: by kubectl, or seen by the webhook and no service account. */
function isByAPerson({ replicasManager, scaledBy }: Workload): boolean {
  if (replicasManager?.manager.startsWith('kubectl') === true) return true
  return scaledBy !== undefined && !scaledBy.startsWith('k8s:system:serviceaccount:')
}

/** What to tell of an autoscaler that woke it again, and the backoff in which it rests; undefined: nobody fights. */
export function fight(reading: Reading, now: Instant, rules: Rules) {
  const text = fightOf(reading.workload, rules)
  const backoff = text === undefined ? undefined : restFromFight(reading.state, now, rules.policy)
  return text === undefined ? undefined : { text, backoff }
}

/** Who set the present count, and to what. A manager is the name that a client gave itself. */
export function scaling(reading: Reading) {
  const { replicasManager, scaledBy } = reading.workload
  const manager = replicasManager?.manager
  // The count that it woke to, if nobody has set another since.
  const by = scaledBy ?? (manager === FIELD_MANAGER ? null : managerAuthor(manager))
  return {
    by,
    who: by ?? 'somebody',
    what: moved(reading.workload),
  }
}

/** What somebody did to it, by its present count. */
function moved({ kind, replicas }: Workload): string {
  if (sleepsSuspended(kind)) return replicas === 0 ? 'suspended' : 'resumed'
  return hasCount(kind) ? `scaled to ${counted(replicas, 'replica')}` : 'woken'
}
