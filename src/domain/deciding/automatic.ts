import type { Instant } from '../../process/clock.ts'
import { formOf } from '../sleeping/forms.ts'
import { iso } from '../text.ts'
import { floorOf } from '../workload/reading.ts'
import { pendingWake, type Backoff } from '../workload/state.ts'
import { FIELD_MANAGER, isScaled } from '../workload/workload.ts'
import { causeText } from './backoff.ts'
import { because, reworded, type PartialDecision, type Reason } from './decision.ts'
import type { Desired } from './desired.ts'
import { riskOf } from './holds.ts'
import { edgesThatEnd } from './hours.ts'
import type { Situation } from './situation.ts'

/** Follows the schedule or the latest intent, before the holds are asked. */
export function automatic(situation: Situation, desire: Desired): PartialDecision {
  const { state, counts, wantsPods } = situation
  const { want, code, text, values, saysFault, since } = desire
  const says = { values, ...(saysFault && { saysFault }) }
  if ((want === 'asleep') === state.asleep) {
    const reason = because(code, text, says)
    if (counts.toGiveBack !== undefined) return givenBack(situation, counts.toGiveBack, reason)
    if (!wantsPods && !state.asleep) return { action: 'none', reason: emptied(situation, reason) }
    return { action: 'none', reason, ...(hasNewFloor(situation) && { rests: true as const }) }
  }
  const transition = {
    reason: because(code, text, { ...says, pending: () => pendingText(desire, state.backoff) }),
    ...(since === undefined ? {} : { dueAt: dueSince(situation, since) }),
  }
  if (want === 'asleep') return { action: 'snooze', replicas: counts.toKeep, ...transition }
  // The part of a wake by annotation that the webhook's write could not do (a CronJob's status).
  const asked = pendingWake(state)
  const request = asked && ({ trigger: 'api', by: asked.by, replicas: 1 } as const)
  return { action: 'wake', replicas: counts.toWake, ...transition, ...request }
}

/**
 * The text must be true on every replica: only the leader knows whether it is a queue or a refusal that the state does
 * not have, and its Events tell.
 */
function pendingText({ want, text }: Desired, backoff: Backoff | undefined): string {
  const why = text().slice(want.length)
  const not =
    backoff?.refusal === undefined
      ? 'it waits for its turn, or the cluster refuses it (see its Events)'
      : causeText(backoff)
  return `is to ${want === 'asleep' ? 'sleep' : 'wake'}${why}; not done yet: ${not}`
}

/** Whether it sleeps with the count of a former setting. A lower one must not lose data. */
function hasNewFloor({ isAtRest, state: { snoozed }, reading, workload, counts }: Situation): boolean {
  const floor = floorOf(reading)
  const isUnclear = reading.effective.asleepReplicas === 'unclear'
  if (!isAtRest || !snoozed || isUnclear || floor === (snoozed.rest ?? 0)) return false
  return Math.min(floor, counts.kept) >= workload.replicas || riskOf(workload) === undefined
}

/** Somebody woke it to fewer replicas than were kept: the next edge brings those back. */
function givenBack(situation: Situation, kept: number, reason: Reason): PartialDecision {
  const { state, now, hours, intent } = situation
  const { latestEdge: edge, nextEdge } = (hours && edgesThatEnd(intent, hours)) ?? {}
  const wokenAt = state.woken?.at ?? now
  if (!edge || edge.at <= wokenAt) {
    const back = nextEdge?.to === 'awake' ? `, and come back ${iso(nextEdge.at)}` : ''
    return { action: 'none', reason: reworded(reason, (text) => `${text}; ${kept} are kept${back}`) }
  }
  const dueAt = dueSince(situation, edge.at)
  return { action: 'wake', replicas: kept, reason, dueAt }
}

/** Since when a transition is due: the clock's instant, or the end of the override or backoff that it waited for. */
function dueSince({ state: { override, backoff } }: Situation, since: Instant): Instant {
  return Math.max(since, override?.until ?? 0, backoff?.until ?? 0)
}

/** Awake with 0 replicas: Dormouse did not scale it down, so no schedule scales it up. */
function emptied(situation: Situation, reason: Reason): Reason {
  if (situation.keda.scales)
    return reworded(reason, (text) => `${text}; KEDA has it at 0 replicas while no trigger is active`)
  return reworded(reason, (text) => `${emptiedBy(situation)} (${text})`, {
    code: 'scaled_to_zero',
    values: () => ({ by: situation.scaling.by, ...reason.values }),
    remedy: { action: 'wake', query: {} },
  })
}

/** A manager that set the count by the object itself may have created it so, or sends it so with each sync. */
function emptiedBy({ workload, scaling }: Situation): string {
  const { replicasManager, scaledBy } = workload
  const { words } = formOf(workload)
  if (scaledBy !== undefined || replicasManager === undefined || isScaled(workload))
    return `${scaling.who} ${words.emptied}`
  const { manager } = replicasManager
  // The API server's name for a client that gave none; our own write of 0 leaves it as its owner had it.
  const name = manager === 'unknown' || manager === FIELD_MANAGER ? '' : ` (${manager})`
  return `kept ${words.kept(0)} by its owner${name}`
}
