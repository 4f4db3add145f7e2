import { earliest } from '../../process/clock.ts'
import { manualWake, wakeHold } from '../deciding/intent.ts'
import { transition } from '../deciding/operation.ts'
import type { Situation } from '../deciding/situation.ts'
import { formOf } from '../sleeping/forms.ts'
import { counted, iso } from '../text.ts'
import { keptCount } from '../workload/counts.ts'
import { withState, type Reading } from '../workload/reading.ts'
import { restOf } from '../workload/state.ts'
import { ANNOTATION, countFault, SNOOZE_KEY, type Workload } from '../workload/workload.ts'
import { deny, type Denial } from './decision.ts'
import { draft, type Draft } from './draft.ts'
import { about, TO_WAKE_NOW } from './messages.ts'
import { howToEnd, refuse, type PinOrOverride } from './pin-or-override.ts'
import type { Update } from './under-review.ts'

/** An update whose two copies are read. */
export interface ReadUpdate extends Update {
  /** Before it. */
  readonly was: Situation
  /** After it, with its count, and with our annotations and labels as they stay. */
  readonly is: Situation
  /** In effect before it. */
  readonly hold: PinOrOverride | undefined
  /** It also drops annotations of ours (`kubectl replace`), so it does not mean the suspension or the key alone. */
  readonly isRestored: boolean
}

/** Decides on the count, the suspension or the key in an update. */
export function decideCount(update: ReadUpdate): Draft<Reading> | Denial {
  return DECIDE[formOf(update.before).name](update)
}

const DECIDE = { count: decideReplicas, nodeSelector: decideKey, switch: decideSwitch } as const

function decideReplicas(update: ReadUpdate): Draft<Reading> | Denial {
  const { before, after, was, is, hold, isApply } = update
  if (before.replicas === after.replicas) return namesSleep(update) ?? asSent(update)
  if (hold) return keepsCount(update, hold)
  if (!sleeps(was)) return asSent(update)
  const fault = countFault(after)
  if (fault !== undefined) return deny('unknown', about(before, `is asleep, and in this write ${fault}`))
  const replicas = wantedCount(update)
  // Scaled down by hand it sleeps on, and keeps what it has kept; a manifest says what it is to have awake.
  if (after.replicas <= restOf(was.state) && !isApply) return asSent(update)
  if (replicas === 0 || !isWakingDeploy(update)) return absorbedAs(update, replicas)
  const { reading } = is
  const workload = { ...reading.workload, replicas }
  return wokenByDeploy({ ...update, is: is.with({ ...reading, workload }) }, replicas)
}

/**
 * Decides on a CronJob that is suspended or resumed. By hand, it wakes a sleeper, and is refused under a pin or override.
 * All other updates go through without it where Dormouse decides.
 */
function decideSwitch(update: ReadUpdate): Draft<Reading> | Denial {
  const { before, was, is, hold } = update
  if (was.wantsPods === is.wantsPods) return namesSleep(update) ?? asSent(update)
  if (hold)
    return isByHand(update)
      ? refuse(before, hold)
      : held(update, `stays ${formOf(before).words.kept(before.replicas)}`, hold)
  if (!sleeps(was)) return asSent(update)
  if (isByHand(update)) return wokenByHand(update, 1)
  if (isWakingDeploy(update)) return wokenByDeploy(update, 1)
  return absorbed(update, 1, `stays ${formOf(before).words.kept(0)}; it will run once it wakes`)
}

/**
 * Decides on our key in a DaemonSet's nodeSelector, added, removed or changed. A nodeSelector is atomic in server-side
 * apply, so every forced sync drops the key: restore it without a warning. Only its removal by hand is a manual wake.
 */
function decideKey(update: ReadUpdate): Draft<Reading> | Denial {
  const { before, after, was, is, hold } = update
  const isSame = before.snoozeKey === after.snoozeKey
  if (isSame || (was.reading.enabled !== true && !hold)) return asSent(update)
  const byHand = isByHand(update)
  const unchanged = withCountOf(before, is.reading)
  if (before.snoozeKey === undefined) {
    if (hold && byHand) return refuse(before, hold)
    return draft('held', unchanged, [`does not get ${SNOOZE_KEY} in its nodeSelector: only Dormouse sets it`])
  }
  const isRemoved = after.snoozeKey === undefined
  const kept = keptCount(is.reading)
  if (isRemoved && !hold && was.state.asleep && isWakingDeploy(update)) return wokenByDeploy(update, kept)
  if (!isRemoved || !byHand) return draft('absorbed', unchanged)
  return hold ? refuse(before, hold) : wokenByHand(update, kept)
}

function sleeps({ reading, isAtRest }: Situation): boolean {
  return reading.enabled === true && isAtRest
}

/** Whether somebody means the suspension or the key alone. */
function isByHand({ otherChanges, isApply, isRestored }: ReadUpdate): boolean {
  return !otherChanges && !isApply && !isRestored
}

/** The API server sets 1 where a manifest stops naming a count, and nobody asked for that: the kept one stays. */
function wantedCount({ after, manifestCount, was }: ReadUpdate): number {
  return manifestCount === 'absent' ? Math.max(keptCount(was.reading), after.replicas) : after.replicas
}

/** A new version, where its settings say that one wakes a sleeper. */
function isWakingDeploy({ changesTemplate, is }: ReadUpdate): boolean {
  return changesTemplate === true && is.reading.deployWakes
}

function asSent({ is }: ReadUpdate): Draft<Reading> {
  return draft('free', is.reading)
}

/** A manifest with the count that a sleeper has: it stays so after its wake, too. undefined: this update is none. */
function namesSleep(update: ReadUpdate): Draft<Reading> | undefined {
  const { after, manifestCount, was, hold } = update
  const isKept = keptCount(was.reading) === after.replicas
  return manifestCount !== 'asleep' || hold || !sleeps(was) || isKept
    ? undefined
    : absorbedAs(update, after.replicas)
}

/** A sleeper that keeps a count from now on; 0: for good. */
function absorbedAs(update: ReadUpdate, replicas: number): Draft<Reading> {
  const { before } = update
  const { empties } = formOf(before).words
  const stays = `stays at ${counted(before.replicas, 'replica')}; it will wake to ${replicas}`
  const ends = `keeps 0 from now on, since this manifest ${empties}: no schedule wakes it`
  return absorbed(update, replicas, replicas === 0 ? ends : stays)
}

/** Under a pin or override the count stays, and an update of the count alone is refused. */
function keepsCount(update: ReadUpdate, hold: PinOrOverride): Draft<Reading> | Denial {
  const { before, otherChanges, was } = update
  const setsKept = was.state.asleep && wantedCount(update) === keptCount(was.reading)
  if (!otherChanges && !setsKept) return refuse(before, hold)
  return held(update, `stays at ${counted(before.replicas, 'replica')}`, hold)
}

/** `stays`: what does not change. */
function held({ before, is }: ReadUpdate, stays: string, hold: PinOrOverride): Draft<Reading> {
  return draft('held', withCountOf(before, is.reading), [`${stays}: it ${hold.reason}`, howToEnd(hold)])
}

/** A sleeper stays asleep and keeps the new count for its wake: only scaling wakes it. */
function absorbed({ before, is }: ReadUpdate, replicas: number, says: string): Draft<Reading> {
  const asleep = withCountOf(before, is.reading)
  const { snoozed } = asleep.state
  const isKept = !snoozed || snoozed.replicas === replicas
  const state = isKept ? asleep.state : { ...asleep.state, snoozed: { ...snoozed, replicas } }
  const count = Math.min(before.replicas, restOf(state))
  return draft('absorbed', withState(withCountOf({ ...before, replicas: count }, asleep), state), [
    `is asleep and ${says}`,
    TO_WAKE_NOW,
  ])
}

function wokenByHand({ is, by }: ReadUpdate, replicas: number): Draft<Reading> {
  return draft('manual_wake', woken(is, by, replicas, 'manual'))
}

/** The count of the write is the one that it keeps from now on, as an absorbed one is. */
function wokenByDeploy({ is, by }: ReadUpdate, replicas: number): Draft<Reading> {
  const end = earliest(is.hours?.nextEdge?.at, wakeHold(is).hold)
  const until = end === undefined ? '' : ` until ${iso(end)} at most`
  const says = `is awake${until}: its ${ANNOTATION.deployWakes} says that a deploy wakes it`
  return draft('manual_wake', woken(is, by, replicas, 'deploy'), [says])
}

/** Records a wake now: only the review knows its user. */
function woken(is: Situation, by: string | null, replicas: number, trigger: 'manual' | 'deploy'): Reading {
  const intent = manualWake(is, by, trigger)
  // The API server will give this write a new generation, which no status has observed yet.
  const workload = { ...is.workload, generation: is.workload.generation + 1 }
  const intended = is.with({ ...is.reading, workload, state: { ...is.state, intent } })
  return transition(intended, { action: 'adopt', trigger, by, replicas })
}

/** `target` with the count and the key of another workload. */
export function withCountOf({ replicas, snoozeKey }: Workload, target: Reading): Reading {
  return { ...target, workload: { ...target.workload, replicas, snoozeKey } }
}
