import type { Instant } from '../clock.ts'
import { managerAuthor } from './author.ts'
import { earliest, look, type PartialDecision, type Reason } from './decision.ts'
import { newIntent, wakeHold, type Desired } from './intent.ts'
import { countToGiveBack, countToKeep, countToWake, keptCount } from './counts.ts'
import type { Reading } from './reading.ts'
import type { Rules } from './rules.ts'
import type { Override } from './state.ts'
import { counted } from './text.ts'
import { isRunning, type Workload } from './workload.ts'

/** What to do about a workload that others moved away from its marks; undefined: they agree. */
export function driftOf(
  reading: Reading,
  override: Override | undefined,
  desire: Desired,
  now: Instant,
  rules: Rules,
): PartialDecision | undefined {
  if (reading.state.pin) return pinDrift(reading)
  if (!reading.state.asleep) return scaledBackDown(reading, override, now)
  if (!isRunning(reading.workload)) return undefined
  return override ? adopted(reading) : sleeperDrift(reading, desire, now, rules)
}

/** Woken by hand to fewer than were kept, and scaled to 0 again: it is asleep again, with those kept. */
function scaledBackDown(
  reading: Reading,
  override: Override | undefined,
  now: Instant,
): PartialDecision | undefined {
  const replicas = countToGiveBack(reading)
  if (replicas === undefined || isRunning(reading.workload)) return undefined
  const { by, who } = scaling(reading)
  const reason: Reason = { code: 'manual_scaling', text: `scaled to 0 by ${who}` }
  const intent = override
    ? {}
    : { intent: newIntent(reading, now, { want: 'asleep', by, trigger: 'manual' }) }
  return { action: 'snooze', adopts: true, trigger: 'manual', by, replicas, reason, ...intent }
}

/** A pinned workload that is not as it was pinned: the webhook was away. */
function pinDrift(reading: Reading): PartialDecision | undefined {
  const { state, workload } = reading
  const running = isRunning(workload)
  if (state.pin?.state === 'snoozed' && running) {
    const reason: Reason = { code: 'pin_enforced', text: 'pinned asleep, and found running' }
    const replicas = state.asleep ? keptCount(reading) : countToKeep(reading)
    return { action: 'snooze', trigger: 'pin', reason, replicas }
  }
  if (state.pin?.state !== 'active' || (running && !state.asleep)) return undefined
  if (!state.asleep && workload.kind !== 'daemonsets' && state.pin.replicas === 0) return undefined
  const reason: Reason = { code: 'pin_enforced', text: 'pinned active, and found scaled down' }
  // Asleep after all (an old pin that came back): the count that was kept is newer than the pin's.
  const replicas = (state.asleep && countToWake(reading)) || state.pin.replicas
  return { action: 'wake', trigger: 'pin', reason, replicas }
}

/** A sleeper that somebody woke while it was overridden: the marks follow, and no intent is formed. */
function adopted(reading: Reading): PartialDecision {
  const { by, who, what } = scaling(reading)
  const reason: Reason = { code: 'manual_scaling', text: `${what} by ${who} while overridden` }
  const replicas = countToKeep(reading)
  return { action: 'adopt', adopts: true, trigger: 'manual', by, replicas, reason, ...stillKept(reading) }
}

/** A sleeper that somebody else woke: a manual wake if it was scaled, put back to sleep otherwise. */
function sleeperDrift(
  reading: Reading,
  desire: Desired,
  now: Instant,
  rules: Rules,
): PartialDecision | undefined {
  const { workload, schedule } = reading
  const { by, who, what } = scaling(reading)
  if (!isManualScaling(workload)) {
    if (desire.want === 'awake') return undefined
    // A sync says what the workload is to have; an autoscaler, which finds no load, does not.
    const replicas = isScaled(workload) ? keptCount(reading) : countToKeep(reading)
    const text = `found running although asleep (changed by ${who}): ${replicas} are kept and it sleeps again`
    return { action: 'snooze', trigger: 'recovery', reason: { code: 'recovery', text }, replicas }
  }
  const replicas = countToKeep(reading)
  const hold = wakeHold(reading, now, rules)
  const intent = newIntent(reading, now, { want: 'awake', by, trigger: 'manual', ...hold })
  const reason: Reason = { code: 'manual_scaling', text: `${what} by ${who}` }
  const next = earliest(intent.hold, schedule?.nextEdge(now)?.at)
  return {
    action: 'adopt',
    adopts: true,
    trigger: 'manual',
    by,
    replicas,
    reason,
    intent,
    ...stillKept(reading),
    ...look(next),
  }
}

/** Whoever scales a sleeper to fewer than are kept, a hand or an autoscaler, does not lower what is kept. */
export function stillKept(reading: Reading): { kept?: number } {
  const { workload } = reading
  const kept = keptCount(reading)
  const lowers = workload.kind !== 'daemonsets' && isScaled(workload) && workload.replicas < kept
  return lowers ? { kept } : {}
}

/** Whether the scale subresource set its count: `kubectl scale`, or an autoscaler. */
function isScaled({ replicasManager }: Workload): boolean {
  return replicasManager?.subresource === 'scale'
}

/** Autoscalers are nobody's hand. */
function isManualScaling(workload: Workload): boolean {
  return isScaled(workload) && !AUTOSCALERS.has(workload.replicasManager?.manager ?? '')
}

/** Field managers: the HPA acts from the controller manager; KEDA's operator is named after its binary. */
const AUTOSCALERS: ReadonlySet<string> = new Set(['kube-controller-manager', 'keda', 'keda-operator'])

/** Who set the count that a workload was found with, and to what. A manager is what a client chose to call itself. */
function scaling(reading: Reading) {
  const { kind, replicasManager, scaledBy } = reading.workload
  const by = scaledBy ?? managerAuthor(replicasManager?.manager)
  return {
    by,
    who: by ?? 'somebody',
    what: kind === 'daemonsets' ? 'woken' : `scaled to ${counted(reading.workload.replicas, 'replica')}`,
  }
}
