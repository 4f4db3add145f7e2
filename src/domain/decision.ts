import type { Instant } from '../clock.ts'
import { backoffInEffect } from './backoff.ts'
import { driftOf } from './drift.ts'
import { finishedOperation } from './history.ts'
import { earliest, latest } from './instants.ts'
import { countToKeep, countToWake, keptCount, type Reading } from './reading.ts'
import type { Rules } from './rules.ts'
import { operationInProgress, type Backoff, type Override } from './state.ts'
import { iso } from './text.ts'
import { hold, look, type Decision, type Reason, type ReasonCode, type Verdict } from './verdict.ts'
import { wanted, type Wanted, type WantedBy } from './wanted.ts'
import { isRunning, pathOf } from './workload.ts'

export type { Decision, Reason } from './verdict.ts'

/** What is to be done with a workload at `now`; carried out twice, the second time changes nothing. */
export function decide(reading: Reading, now: Instant, rules: Rules): Decision {
  if (reading.workload.deleting) {
    return { ...asItIs(reading), ...hold('deleting', 'it is being deleted') }
  }
  const finished = finishedOperation(reading, now, rules.policy)
  const running = finished ? undefined : operationInProgress(reading.state)
  const timeout = running && running.at + rules.policy.operationTimeout
  const { lookAgainAt, ...verdict } = judge(reading, now, rules)
  return {
    ...asItIs(reading),
    ...verdict,
    ...(finished ? { finished } : {}),
    ...look(earliest(lookAgainAt, timeout)),
  }
}

/** The override that holds now, if any. */
export function overrideInEffect({ state: { override } }: Reading, now: Instant): Override | undefined {
  return override && (override.until === null || override.until > now) ? override : undefined
}

function asItIs(reading: Reading): Pick<Decision, 'trigger' | 'by' | 'replicas'> {
  return { trigger: 'schedule', by: null, replicas: keptCount(reading) }
}

function judge(reading: Reading, now: Instant, rules: Rules): Verdict {
  const { state, enabled } = reading
  if (enabled === 'unclear') {
    return hold('enabled_unclear', `dormouse.dev/enabled is neither "true" nor "false", so nothing is done`)
  }
  if (!enabled) return notManaged(reading, now)
  const override = overrideInEffect(reading, now)
  const expired = state.override && !override ? ({ overrideExpired: true } as const) : {}
  const verdict = managed(reading, override, now, rules)
  return { ...expired, ...verdict, ...look(earliest(verdict.lookAgainAt, override?.until ?? undefined)) }
}

function notManaged(reading: Reading, now: Instant): Verdict {
  const { state } = reading
  if (state.asleep) {
    const reason: Reason = { code: 'disabled', text: 'managing was turned off, so it wakes' }
    const backoff = backoffInEffect(state, now)
    if (backoff?.cause === 'failure') return waiting(backoff, reason)
    return { action: 'wake', trigger: 'disable', reason, replicas: countToWake(reading), cleared: true }
  }
  const held = state.pin ?? state.override ?? state.intent ?? state.backoff
  const verdict = hold('not_managed', `not managed until POST ${pathOf(reading.workload)}/enable`)
  return held ? { ...verdict, cleared: true } : verdict
}

function managed(reading: Reading, override: Override | undefined, now: Instant, rules: Rules): Verdict {
  const { state } = reading
  const wish = wanted(reading, now, rules)
  const spoken = wish.spoken ? { intent: wish.spoken } : {}
  const drift = driftOf(reading, override, wish, now, rules)
  if (drift?.action === 'adopt') return { ...spoken, ...drift }
  if (!drift && state.pin) {
    const { state: held, by, at } = state.pin
    return { ...hold('pinned', `pinned ${held} by ${by} since ${iso(at)}`), ...spoken }
  }
  if (!drift && override) return { ...overridden(override), ...spoken }
  const verdict = { ...spoken, ...(drift ?? automatic(reading, wish)) }
  const backoff = backoffInEffect(state, now)
  if (backoff && verdict.action !== 'hold') {
    return { ...waiting(backoff, verdict.reason), ...spoken }
  }
  const freed = [state.override?.until, state.backoff?.until].map((end) => passed(end, now))
  const dueAt = verdict.dueAt === undefined ? undefined : latest(verdict.dueAt, ...freed)
  const due = dueAt === undefined ? {} : { dueAt }
  return { ...verdict, ...due, ...look(state.pin ? undefined : wish.next) }
}

const CODE: Record<WantedBy, ReasonCode> = {
  schedule: 'schedule',
  intent: 'intent',
  until: 'until',
  'until passed': 'until_passed',
  grace: 'grace',
  nothing: 'nothing_automatic',
}

/** What the schedule or the latest intent asks for. */
function automatic(reading: Reading, wish: Wanted): Verdict {
  const reason: Reason = { code: CODE[wish.rule], text: wish.text }
  if ((wish.want === 'asleep') === reading.state.asleep) {
    return {
      action: 'hold',
      reason: isRunning(reading.workload) || reading.state.asleep ? reason : emptied(reading, reason),
    }
  }
  const transition = {
    reason,
    ...(wish.withTransition ? { intent: wish.withTransition } : {}),
    ...(wish.since === undefined ? {} : { dueAt: wish.since }),
  }
  return wish.want === 'asleep'
    ? { action: 'snooze', replicas: countToKeep(reading), ...transition }
    : { action: 'wake', replicas: countToWake(reading), ...transition }
}

/** Awake, and without replicas: not our doing, so no schedule undoes it. */
function emptied({ workload }: Reading, { code, text }: Reason): Reason {
  return { code, text: `somebody scaled it to 0: POST ${pathOf(workload)}/wake to bring it back (${text})` }
}

function overridden({ by, until }: Override): Verdict {
  return hold('overridden', `overridden by ${by} ${until === null ? 'for good' : `until ${iso(until)}`}`)
}

function waiting({ cause, until }: Backoff, then: Reason): Verdict {
  const why = cause === 'flapping' ? 'it was switched too often' : 'the cluster refused the last attempt'
  return { ...hold('backoff', `waits until ${iso(until)}: ${why} (then: ${then.text})`), ...look(until) }
}

function passed(instant: Instant | null | undefined, now: Instant): Instant | undefined {
  return instant !== null && instant !== undefined && instant <= now ? instant : undefined
}
