import type { Instant } from '../../process/clock.ts'
import { Refusal } from '../../process/errors.ts'
import { transition } from '../deciding/operation.ts'
import type { Situation } from '../deciding/situation.ts'
import { authorOf, outweighsSchedule } from '../workload/trigger.ts'
import { desired } from '../deciding/desired.ts'
import { newIntent, stillRuns, wakeHold } from '../deciding/intent.ts'
import { countKeptBy } from '../deciding/drift.ts'
import { formOf } from '../sleeping/forms.ts'
import { counted, iso } from '../text.ts'
import { looksAsleep, currentReplicas, wantsPods } from '../workload/workload.ts'
import { floorOf } from '../workload/reading.ts'
import { pendingWake, type Intent } from '../workload/state.ts'
import { durationText } from '../schedule/duration.ts'
import { type Sleep } from '../schedule/schedule.ts'
import { canWrite, type Context, type Outcome } from './handler.ts'
import type { Request } from './operations.ts'
import { isNow, leftFor, stays } from './telling.ts'

/** Puts to sleep; `limit` in milliseconds, undefined: without an end. */
export function snooze({ situation, by }: Context, limit: number | undefined): Outcome {
  const { reading, state, workload, now } = situation
  const end = limit === undefined ? {} : { until: now + limit }
  const intent = newIntent(situation, { want: 'asleep', by, trigger: 'api', ...end })
  const asked = situation.withState({ ...state, intent })
  const was = replacedText(situation, intent)
  if (situation.isAtRest) {
    const isToStay = isToBe('asleep', situation) && !pendingWake(state)
    if (limit === undefined && isToStay) return { target: reading, says: leftFor('already asleep') }
    return { target: asked.reading, says: stays(`asleep${spanText(asked, limit)}${was}`) }
  }
  const replicas = countKeptBy(situation)
  const target = transition(asked, { action: 'snooze', trigger: 'api', by, replicas })
  const form = formOf(workload)
  const kept = form.countsPods ? `, ${counted(replicas, 'replica')} kept` : ''
  const at =
    wantsPods(target.workload) && form.scales ? ` at ${counted(target.workload.replicas, 'replica')}` : ''
  return { target, says: isNow(`snoozed${at}${spanText(asked, limit)}${kept}${was}`) }
}

/**
 * Wakes, or keeps awake; `for` in milliseconds, undefined: until the next edge or `wakeHold`. A wake that would last
 * longer is in force still, unless the request is to `shorten` it.
 */
export function wake(
  { situation, by, trigger, written }: Context,
  { for: limit, shorten = false }: Request<'wake'>,
): Outcome {
  const { reading, state, workload, counts, now, wantsPods } = situation
  const byKeda = situation.looksAsleep && situation.keda.decides
  const up = !state.asleep && (byKeda || (wantsPods && counts.toGiveBack === undefined))
  if (up && limit === undefined && isToBe('awake', situation)) {
    return {
      target: reading,
      says: leftFor('already awake (a duration, such as 2h, would keep it awake for so long)'),
    }
  }
  const inHoursOfSleep = situation.hours?.state === 'asleep'
  const hold = inHoursOfSleep ? wakeHold(situation, trigger) : {}
  const end = limit === undefined ? hold : { until: now + limit }
  const intent = newIntent(situation, { want: 'awake', by, trigger, ...end })
  const wanted = situation.withState({ ...state, intent })
  const longer = longerWake(situation, wanted)
  if (longer && !shorten && up) return { target: reading, says: stays(keptText(longer)) }
  const asked = longer && !shorten ? situation : wanted
  const was = longer ? `, ${shorten ? 'was ' : ''}${untilText(longer)}` : replacedText(situation, intent)
  const span = longer && !shorten ? '' : spanText(asked, limit)
  if (up) return { target: asked.reading, says: stays(`awake${span}${was}`) }
  const form = formOf(workload)
  const replicas = form.countInSpec ? wakeCount(situation) : counts.kept
  const target = transition(asked, { action: 'wake', trigger, by, replicas })
  if (!canWrite(reading, target, written)) {
    const when = `wake in a moment${span}${was}`
    return {
      target: asked.reading,
      says: { done: `is to ${when}`, would: `would ${when}` },
      pending: true,
    }
  }
  if (byKeda) return { target, says: isNow(`woken${span}, and KEDA decides how many replicas it has${was}`) }
  const to = form.scales ? ` to ${counted(replicas, 'replica')}` : ''
  return { target, says: isNow(`woken${to}${span}${was}`) }
}

/**
 * Takes over another tool's sleeper with its count: also if a schedule of ours found it at 0 first, and so keeps 0. It
 * stays asleep until the next edge of its schedule. The caller has checked whether a DaemonSet sleeps by the other
 * tool's key.
 * @throws Refusal CONFLICT
 */
export function adopt({ situation, by }: Context, count: number): Outcome {
  const { reading, state, workload } = situation
  const form = formOf(workload)
  const replicas = Math.min(count, form.most)
  if (state.asleep) {
    const { kept } = situation.counts
    if (kept === replicas)
      return { target: reading, says: leftFor(`asleep already, ${counted(kept, 'replica')} kept`) }
    // At 0 there is no count to lose, and whatever put it to sleep still applies.
    if (kept > 0)
      throw new Refusal('CONFLICT', `asleep already, and keeps ${kept}: there is nothing to adopt`)
  }
  if (form.countInSpec && !looksAsleep(workload, Math.min(floorOf(reading), replicas)))
    throw new Refusal('CONFLICT', 'it runs, and only what sleeps can be adopted: snooze it instead')
  const intent = newIntent(situation, { want: 'asleep', by, trigger: 'api' })
  const asked = state.asleep ? situation : situation.withState({ ...state, intent })
  const target = transition(asked, { action: 'snooze', trigger: 'recovery', by, replicas })
  return { target, says: isNow(`adopted asleep, ${counted(replicas, 'replica')} kept`) }
}

/** A wake that a person asked for, and its end. */
interface LongerWake {
  readonly intent: Intent
  readonly end: Instant | undefined
}

/** The wake in force, where what is `wanted` now would end before it. */
function longerWake(situation: Situation, wanted: Situation): LongerWake | undefined {
  const { intent, now } = situation
  if (!intent || !outweighsSchedule(intent) || intent.want !== 'awake') return undefined
  const inForce = desired(situation)
  if (!inForce.end) return undefined
  const [is, would] = [inForce.end(), desired(wanted).end?.()]
  const until = wanted.intent?.until ?? Infinity
  const isLonger = (would ?? Infinity) < (is ?? Infinity) || (stillRuns(intent, now) && until < intent.until)
  return isLonger ? { intent, end: is } : undefined
}

/** The time that was asked for, which its hours may prolong: ` for 4h, until 2026-03-02T16:00:00Z`. */
function spanText(asked: Situation, limit: number | undefined): string {
  if (limit === undefined) return ''
  const until = asked.now + limit
  const isProlonged = (desired(asked).end?.() ?? Infinity) > until
  return ` for ${isProlonged ? 'at least ' : ''}${durationText(limit)}, until ${iso(until)}`
}

function keptText(longer: LongerWake): string {
  return `${untilText(longer)}, which is longer (kubectl dormouse wake --shorten ends it sooner)`
}

function untilText({ intent, end }: LongerWake): string {
  return `awake${end === undefined ? '' : ` until ${iso(end)}`} by ${authorOf(intent)}`
}

/** Names the replaced request of somebody else, or one that would have lasted longer. */
function replacedText({ intent: old, now }: Situation, { by, until }: Intent): string {
  if (!stillRuns(old, now) || !outweighsSchedule(old)) return ''
  if (old.by === by && until !== undefined && until >= old.until) return ''
  return `, was ${old.want} until ${iso(old.until)} by ${authorOf(old)}`
}

/** Whether it is to stay so: a wave that has not reached it yet, or the cluster's refusal, leaves it otherwise for now. */
function isToBe(want: Sleep, situation: Situation): boolean {
  return desired(situation).want === want
}

/** The count that a wake request brings: the kept or the last one, at least 1. */
function wakeCount(situation: Situation): number {
  const { state, workload, counts } = situation
  if (counts.toGiveBack !== undefined) return Math.max(1, counts.toGiveBack)
  if (!situation.looksAsleep) return counts.toWake
  return Math.max(1, state.snoozed?.replicas ?? currentReplicas(workload))
}
