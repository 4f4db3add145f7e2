import { earliest, manualWake, wakeHold } from '../deciding/intent.ts'
import { transition } from '../deciding/operation.ts'
import type { Situation } from '../deciding/situation.ts'
import { hasKey, sleepsSuspended } from '../kinds.ts'
import { counted, iso } from '../text.ts'
import { keptCount } from '../workload/counts.ts'
import { withState, type Reading } from '../workload/reading.ts'
import { ANNOTATION, countFault, SNOOZE_KEY, type Workload } from '../workload/workload.ts'
import { deny, type AdmissionDecision, type AdmissionReason } from './decision.ts'
import { about, toAsk } from './messages.ts'
import { howToEnd, refuse, type PinOrOverride } from './pin-or-override.ts'

/** The count by a manifest that is applied: it stops naming one, or it names 0 (a CronJob: `suspend: true`). */
export type ManifestCount = 'absent' | 'zero'

/** An update under review. */
export interface Update {
  readonly before: Workload
  /** As the person sent it. */
  readonly after: Workload
  /** Whether anything differs but the count (DaemonSet: our key) and our annotations and label. */
  readonly otherChanges: boolean
  /** Whether it is a server-side apply, or kubectl's own: a field that it lacks was not removed on purpose. */
  readonly isApply: boolean
  /** For a sleeper that a manifest is applied to; undefined: the object's own count tells, or none is applied. */
  readonly manifestCount?: ManifestCount | undefined
  /** The client's field manager. */
  readonly manager: string | undefined
  /** The author of a manual wake. */
  readonly by: string | null
  /** Annotations below `dormouse.dev/` that are not ours, as far as this update added or changed them. */
  readonly unknown: readonly string[]
  /** Whether a manifest that is applied has the request, so that each later sync would bring it again. */
  readonly isApplied?: boolean
  /** Whether the template of its pods or jobs differs. */
  readonly changesTemplate?: boolean
  /** DaemonSet: the key by which another tool keeps it asleep, before and after this update; undefined: none. */
  readonly otherTool?: { readonly before: string | undefined; readonly after: string | undefined }
}

/** The count (DaemonSet: the key) after an update, before the other decisions about it. */
export interface Draft {
  /** The object as it will be stored. */
  readonly target: Reading
  readonly reason: AdmissionReason
  readonly warnings: readonly string[]
}

/**
 * Decides on the count, the suspension or the key in an update: `was` and `is` before and after it. `isRestored`: it
 * also drops our annotations (`kubectl replace`), so it does not mean the suspension or the key alone.
 */
export function draftOf(
  update: Update,
  was: Situation,
  is: Situation,
  isRestored: boolean,
  pinOrOverride: PinOrOverride | undefined,
): Draft | AdmissionDecision {
  const { kind } = update.before
  const byHand = !update.otherChanges && !update.isApply && !isRestored
  if (sleepsSuspended(kind)) return draftSuspension(update, was, is, byHand, pinOrOverride)
  return hasKey(kind)
    ? draftKey(update, was, is, byHand, pinOrOverride)
    : draftReplicas(update, was, is, pinOrOverride)
}

function draftReplicas(
  update: Update,
  was: Situation,
  is: Situation,
  pinOrOverride: PinOrOverride | undefined,
): Draft | AdmissionDecision {
  const { before, after } = update
  const { reading: target } = is
  if (before.replicas === after.replicas) return namesNone(update, was, target, pinOrOverride) ?? free(target)
  if (pinOrOverride) return keepCount(update, was, target, pinOrOverride)
  if (!sleeps(was) || after.replicas === 0) return free(target)
  const fault = countFault(after)
  if (fault !== undefined) return deny('unknown', about(before, `is asleep, and in this write ${fault}`))
  const replicas = wantedCount(update, was)
  return isWakingDeploy(update, is)
    ? wokenByDeploy(update, is.with({ ...target, workload: { ...target.workload, replicas } }), replicas)
    : absorbed(before, target, replicas, `stays at 0 replicas; it will wake to ${replicas}`)
}

function sleeps({ reading, state, isRunning }: Situation): boolean {
  return reading.enabled === true && state.asleep && !isRunning
}

/** The API server sets 1 where a manifest stops naming a count, and nobody asked for that: the kept one stays. */
function wantedCount({ after, manifestCount }: Update, was: Situation): number {
  return manifestCount === 'absent' ? Math.max(keptCount(was.reading), after.replicas) : after.replicas
}

/** A manifest with 0 for a sleeper: it stays at 0 after its wake, too. undefined: this update is none. */
function namesNone(
  { before, manifestCount }: Update,
  was: Situation,
  target: Reading,
  pinOrOverride: PinOrOverride | undefined,
): Draft | undefined {
  if (manifestCount !== 'zero' || pinOrOverride || !sleeps(was) || keptCount(was.reading) === 0)
    return undefined
  const field = sleepsSuspended(before.kind) ? 'suspends it' : 'sets 0 replicas'
  return absorbed(
    before,
    target,
    0,
    `keeps 0 from now on, since this manifest ${field}: no schedule wakes it`,
  )
}

/** A new version, where its settings say that one wakes a sleeper. */
function isWakingDeploy({ changesTemplate }: Update, { reading }: Situation): boolean {
  return changesTemplate === true && reading.deployWakes
}

/** Pinned or overridden: the count stays, and an update of the count alone is refused. */
function keepCount(
  update: Update,
  was: Situation,
  target: Reading,
  pinOrOverride: PinOrOverride,
): Draft | AdmissionDecision {
  const { before, otherChanges } = update
  const setsKept = was.state.asleep && wantedCount(update, was) === keptCount(was.reading)
  if (!otherChanges && !setsKept) return refuse(before, pinOrOverride)
  return held(before, target, `stays at ${counted(before.replicas, 'replica')}`, pinOrOverride)
}

/**
 * A CronJob that is suspended or resumed. By hand, it wakes a sleeper, and is refused under a pin or override. All other
 * updates go through without it where Dormouse decides.
 */
function draftSuspension(
  update: Update,
  was: Situation,
  is: Situation,
  byHand: boolean,
  pinOrOverride: PinOrOverride | undefined,
): Draft | AdmissionDecision {
  const { before, by } = update
  const { reading: target } = is
  if (was.isRunning === is.isRunning) return namesNone(update, was, target, pinOrOverride) ?? free(target)
  if (was.reading.enabled !== true && !pinOrOverride) return free(target)
  if (pinOrOverride) {
    if (byHand) return refuse(before, pinOrOverride)
    return held(before, target, `stays ${was.isRunning ? 'unsuspended' : 'suspended'}`, pinOrOverride)
  }
  if (!was.state.asleep || was.isRunning) return free(target)
  if (byHand) return wokenByHand(is, by, 1)
  return isWakingDeploy(update, is)
    ? wokenByDeploy(update, is, 1)
    : absorbed(before, target, 1, 'stays suspended; it will run once it wakes')
}

/**
 * Our key in a DaemonSet's nodeSelector, added, removed or changed. A nodeSelector is atomic in server-side apply, so
 * every forced sync drops the key: restore it without a warning. Only its removal by hand is a manual wake.
 */
function draftKey(
  update: Update,
  was: Situation,
  is: Situation,
  byHand: boolean,
  pinOrOverride: PinOrOverride | undefined,
): Draft | AdmissionDecision {
  const { before, after, by } = update
  const { reading: target } = is
  const { snoozeKey } = before
  if ((was.reading.enabled !== true && !pinOrOverride) || snoozeKey === after.snoozeKey) return free(target)
  const kept = { ...target, workload: { ...target.workload, snoozeKey } }
  if (snoozeKey === undefined) {
    if (pinOrOverride && byHand) return refuse(before, pinOrOverride)
    const warnings = [about(before, `does not get ${SNOOZE_KEY} in its nodeSelector: only Dormouse sets it`)]
    return { target: kept, reason: 'held', warnings }
  }
  if (after.snoozeKey === undefined && !pinOrOverride && was.state.asleep && isWakingDeploy(update, is))
    return wokenByDeploy(update, is, keptCount(target))
  if (!byHand || after.snoozeKey !== undefined) return { target: kept, reason: 'absorbed', warnings: [] }
  return pinOrOverride ? refuse(before, pinOrOverride) : wokenByHand(is, by, keptCount(target))
}

function free(target: Reading): Draft {
  return { target, reason: 'free', warnings: [] }
}

/** `says`: what stays. */
function held(before: Workload, target: Reading, says: string, pinOrOverride: PinOrOverride): Draft {
  const warnings = [about(before, `${says}: it ${pinOrOverride.reason}`), howToEnd(before, pinOrOverride)]
  return { target: withCountOf(before, target), reason: 'held', warnings }
}

/** A sleeper stays asleep and keeps the new count for its wake: only scaling wakes it. */
function absorbed(before: Workload, target: Reading, replicas: number, says: string): Draft {
  const asleep = withCountOf(before, target)
  const { snoozed } = asleep.state
  const warnings = [
    about(before, `is asleep and ${says}`),
    toAsk(before, 'to wake it now', { action: 'wake', query: {} }),
  ]
  const isKept = !snoozed || snoozed.replicas === replicas
  const state = isKept ? asleep.state : { ...asleep.state, snoozed: { ...snoozed, replicas } }
  return { target: withState(asleep, state), reason: 'absorbed', warnings }
}

/** Records the wake now: only the review knows its user. */
function wokenByHand(
  is: Situation,
  by: string | null,
  replicas: number,
  trigger: 'manual' | 'deploy' = 'manual',
): Draft {
  const intent = manualWake(is, by, trigger)
  // The API server will give this write a new generation, which no status has observed yet.
  const workload = { ...is.workload, generation: is.workload.generation + 1 }
  const intended = is.with({ ...is.reading, workload, state: { ...is.state, intent } })
  const target = transition(intended, { action: 'adopt', trigger, by, replicas })
  return { target, reason: 'manual_wake', warnings: [] }
}

/** The count of the write is the one that it keeps from now on, as an absorbed one is. */
function wokenByDeploy({ before, by }: Update, is: Situation, replicas: number): Draft {
  const draft = wokenByHand(is, by, replicas, 'deploy')
  const end = earliest(is.hours?.nextEdge?.at, wakeHold(is).hold)
  const until = end === undefined ? '' : ` until ${iso(end)} at most`
  const says = `is awake${until}: its ${ANNOTATION.deployWakes} says that a deploy wakes it`
  return { ...draft, warnings: [about(before, says)] }
}

/** `target` with the count and the key of another workload. */
export function withCountOf({ replicas, snoozeKey }: Workload, target: Reading): Reading {
  return { ...target, workload: { ...target.workload, replicas, snoozeKey } }
}
