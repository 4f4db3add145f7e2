import { keptCount } from '../workload/counts.ts'
import type { Reading } from '../workload/reading.ts'
import { counted } from '../text.ts'
import { countFault, isRunning, type Workload } from '../workload/workload.ts'
import { deny, type AdmissionDecision } from './decision.ts'
import type { Draft, Update } from './draft.ts'
import { about, toAsk } from './messages.ts'
import { howToEnd, refuse, type PinOrOverride } from './pin-or-override.ts'

/** Decides on the replica count in an update; `old` is the workload before it, `target` the one after it. */
export function draftReplicas(
  update: Update,
  old: Reading,
  target: Reading,
  pinOrOverride: PinOrOverride | undefined,
): Draft | AdmissionDecision {
  const { before, after } = update
  const free: Draft = { target, reason: 'free', warnings: [] }
  if (before.replicas === after.replicas) return free
  if (pinOrOverride) return keepCount(update, old, target, pinOrOverride)
  const sleeps = old.enabled === true && old.state.asleep && !isRunning(before)
  if (!sleeps || after.replicas === 0) return free
  const fault = countFault(after)
  return fault === undefined
    ? absorb(before, after, target)
    : deny('unknown', about(before, `is asleep, and in this write ${fault}`))
}

/** Pinned or overridden: the count stays, and an update of the count alone is refused. */
function keepCount(
  { before, after, otherChanges }: Update,
  old: Reading,
  target: Reading,
  pinOrOverride: PinOrOverride,
): Draft | AdmissionDecision {
  const setsKept = old.state.asleep && after.replicas === keptCount(old)
  if (!otherChanges && !setsKept) return refuse(before, pinOrOverride)
  const says = about(before, `stays at ${counted(before.replicas, 'replica')}: it ${pinOrOverride.says}`)
  return {
    target: withCountOf(before, target),
    reason: 'held',
    warnings: [says, howToEnd(before, pinOrOverride)],
  }
}

/** A sleeper stays asleep and keeps the new count for its wake: only scaling wakes it. */
function absorb(before: Workload, after: Workload, target: Reading): Draft {
  const asleep = withCountOf(before, target)
  const { snoozed } = asleep.state
  const count = after.replicas
  const warnings = [
    about(before, `is asleep and stays at 0 replicas; it will wake to ${count}`),
    toAsk(before, 'to wake it now', { action: 'wake', query: {} }),
  ]
  if (!snoozed || snoozed.replicas === count) return { target: asleep, reason: 'absorbed', warnings }
  const state = { ...asleep.state, snoozed: { ...snoozed, replicas: count } }
  return { target: { ...asleep, state }, reason: 'absorbed', warnings }
}

/** `target` with the count and the key of another workload. */
export function withCountOf({ replicas, snoozeKey }: Workload, target: Reading): Reading {
  return { ...target, workload: { ...target.workload, replicas, snoozeKey } }
}
