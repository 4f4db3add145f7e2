import type { Instant } from '../../service/process/clock.ts'
import { kedaDecides } from '../autoscaling/scalers.ts'
import { transition } from '../deciding/operation.ts'
import { scheduleInForce } from '../deciding/schedule-in-force.ts'
import {
  authorOf,
  currentIntent,
  desired,
  isAutomatic,
  newIntent,
  stillRuns,
  wakeHold,
} from '../deciding/intent.ts'
import { countToGiveBack, countToWake, keptCount } from '../workload/counts.ts'
import { countKeptBy } from '../deciding/drift.ts'
import { withState, type Reading } from '../workload/reading.ts'
import { hasCount, hasKey, sleepsSuspended } from '../kinds.ts'
import { counted, iso } from '../text.ts'
import { currentReplicas, isRunning } from '../workload/workload.ts'
import type { Rules } from '../deciding/rules.ts'
import { pendingWake, type Intent } from '../workload/state.ts'
import { type Sleep } from '../schedule/schedule.ts'
import { canWrite, type Context, type Outcome } from './handler.ts'

/** Puts to sleep; `limit` in milliseconds, undefined: without an end. */
export function snooze({ reading, now, by, rules }: Context, limit: number | undefined): Outcome {
  const end = limit === undefined ? {} : { until: now + limit }
  const intent = newIntent(reading, now, { want: 'asleep', by, trigger: 'api', ...end })
  const asked = withState(reading, { ...reading.state, intent })
  const was = replacedText(reading, intent, now)
  if (reading.state.asleep && !isRunning(reading.workload)) {
    const stays = isToBe('asleep', reading, now, rules) && !pendingWake(reading.state)
    if (limit === undefined && stays) return { target: reading, done: 'already asleep' }
    return { target: asked, done: `stays asleep${was}` }
  }
  const replicas = countKeptBy(reading, rules)
  const target = transition(asked, { action: 'snooze', trigger: 'api', by, replicas }, now, rules)
  const kept = sleepsSuspended(reading.workload.kind) ? '' : `, ${counted(replicas, 'replica')} kept`
  return { target, done: `snoozed${kept}${was}` }
}

/** Wakes, or keeps awake; `limit` in milliseconds, undefined: until the next edge or `wakeHold`. */
export function wake({ reading, now, by, rules, channel }: Context, limit: number | undefined): Outcome {
  const { state, workload } = reading
  const byKeda = !isRunning(workload) && kedaDecides(workload, rules)
  const up = !state.asleep && (byKeda || (isRunning(workload) && countToGiveBack(reading) === undefined))
  if (up && limit === undefined && isToBe('awake', reading, now, rules)) {
    return { target: reading, done: `already awake (${channel.toKeepAwake} to keep it awake for a time)` }
  }
  const inHoursOfSleep = scheduleInForce(reading, now)?.state === 'asleep'
  const hold = inHoursOfSleep ? wakeHold(reading, now, rules) : {}
  const end = limit === undefined ? hold : { until: now + limit }
  const intent = newIntent(reading, now, { want: 'awake', by, trigger: 'api', ...end })
  const asked = withState(reading, { ...state, intent })
  const was = replacedText(reading, intent, now)
  if (up) return { target: asked, done: `stays awake${was}` }
  const replicas = hasKey(workload.kind) ? keptCount(reading) : wakeCount(reading)
  const target = transition(asked, { action: 'wake', trigger: 'api', by, replicas }, now, rules)
  if (!canWrite(reading, target, channel))
    return { target: asked, done: `is to wake in a moment${was}`, pending: true }
  if (byKeda) return { target, done: `woken, and KEDA decides how many replicas it has${was}` }
  const to = hasCount(workload.kind) ? ` to ${counted(replicas, 'replica')}` : ''
  return { target, done: `woken${to}${was}` }
}

/** What somebody else has asked for, or what would have lasted longer: whoever replaces it is told. */
function replacedText(reading: Reading, { by, until }: Intent, now: Instant): string {
  const old = currentIntent(reading, now)
  if (!stillRuns(old, now) || isAutomatic(old)) return ''
  if (old.by === by && until !== undefined && until >= old.until) return ''
  return `, was ${old.want} until ${iso(old.until)} by ${authorOf(old)}`
}

/** Whether it is to stay so: a wave that has not reached it yet, or the cluster's refusal, leaves it otherwise for now. */
function isToBe(want: Sleep, reading: Reading, now: Instant, rules: Rules): boolean {
  return desired(reading, now, rules).want === want
}

/** The count that a wake request brings: the kept or the last one, at least 1. */
function wakeCount(reading: Reading): number {
  const { state, workload } = reading
  const kept = countToGiveBack(reading)
  if (kept !== undefined) return Math.max(1, kept)
  if (isRunning(workload)) return countToWake(reading)
  return Math.max(1, state.snoozed?.replicas ?? currentReplicas(workload))
}
