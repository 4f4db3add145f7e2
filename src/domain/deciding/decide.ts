import type { Instant } from '../../service/process/clock.ts'
import { heldByKeda } from '../autoscaling/scalers.ts'
import { isScaledByKeda } from '../workload/reading.ts'
import { backoffInEffect, causeText } from './backoff.ts'
import { hasRoomToWake } from '../workload/change.ts'
import { countToGiveBack, countToKeep, countToWake, keptCount } from '../workload/counts.ts'
import { decisionTime } from './decision-time.ts'
import {
  earliest,
  lookAgain,
  noAction,
  type Decision,
  type PartialDecision,
  type Reason,
  type ReasonCode,
} from './decision.ts'
import { driftOf, fight, isScaled, scaling, stillKept } from './drift.ts'
import { scheduleInForce } from './schedule-in-force.ts'
import { desired, type Desired, type DesiredBy } from './intent.ts'
import { keptByOther } from '../workload/kept-by-other.ts'
import { sleepsSuspended } from '../kinds.ts'
import { ofSource } from '../policy/settings.ts'
import type { Reading } from '../workload/reading.ts'
import type { Rules } from './rules.ts'
import { operationInProgress, pendingWake, type Backoff, type Override } from '../workload/state.ts'
import { iso } from '../text.ts'
import { countFault, FIELD_MANAGER, isRunning, nameOf, pathOf, type Workload } from '../workload/workload.ts'

const VOLUMES_AT_RISK =
  'its persistentVolumeClaimRetentionPolicy.whenScaled is Delete, so sleeping would delete its volumes'
const COUNT_AT_RISK =
  'its annotations are nearly as large as the API server takes, so the state to wake it by might not fit'

/** Why putting a workload to sleep would lose data (volumes: KEP-1847); undefined: it would not. */
export function riskOf(workload: Workload): string | undefined {
  if (workload.deletesVolumes) return VOLUMES_AT_RISK
  return hasRoomToWake(workload) ? undefined : COUNT_AT_RISK
}

/** What to do with a workload at `clock`. Idempotent: once it is carried out, the next decision changes nothing. */
export function decide(reading: Reading, clock: Instant, rules: Rules): Decision {
  const now = decisionTime(reading.state, clock)
  if (reading.workload.deleting) {
    return { ...asItIs(reading), ...noAction('deleting', 'it is being deleted') }
  }
  const running = operationInProgress(reading.state)
  const timeout = running && running.at + rules.policy.operationTimeout
  const { lookAgainAt, ...decision } = undeleted(reading, now, rules)
  const late = timeout !== undefined && timeout > now ? timeout : undefined
  return { ...asItIs(reading), ...decision, ...lookAgain(earliest(lookAgainAt, late)) }
}

/** The override, unless it has ended. */
export function overrideInEffect({ state: { override } }: Reading, now: Instant): Override | undefined {
  return override && (override.until === null || override.until > now) ? override : undefined
}

/**
 * Whether a pin or an override in effect holds it. That outlives an `enabled` that it inherited, so that nobody who may
 * change a label takes a workload out of a policy to scale it; `"false"` of its own ends both.
 */
export function isHeld(reading: Reading, now: Instant): boolean {
  const { enabled, effective, state } = reading
  if (enabled === false && effective.sources.enabled === 'workload') return false
  return state.pin !== undefined || overrideInEffect(reading, now) !== undefined
}

function asItIs(reading: Reading): Pick<Decision, 'trigger' | 'by' | 'replicas'> {
  return { trigger: 'schedule', by: null, replicas: keptCount(reading) }
}

function undeleted(reading: Reading, now: Instant, rules: Rules): PartialDecision {
  const { state, enabled, effective, workload } = reading
  const scaler = rules.scalerOf?.(workload)
  if (scaler)
    return noAction('scaled_by_other', `left alone: ${nameOf(scaler)} scales it in its place (workloadRef)`)
  if (!reading.isSettled)
    return noAction(
      'namespace_unknown',
      `the Namespace ${workload.namespace} is not known yet, or is being deleted, so nothing is done`,
    )
  const held = isHeld(reading, now)
  if (enabled === 'unclear' && !held) {
    return noAction(
      'enabled_unclear',
      `dormouse.dev/enabled${ofSource(effective.sources.enabled)} is neither "true" nor "false", so nothing is done`,
    )
  }
  const fault = enabled || state.asleep ? countFault(workload) : undefined
  if (fault !== undefined) return noAction('data_at_risk', `left alone: ${fault}`)
  const override = overrideInEffect(reading, now)
  const expired = state.override && !override ? ({ overrideExpired: true } as const) : {}
  const decision =
    enabled === true || held ? managed(reading, override, now, rules) : notManaged(reading, now, rules)
  return {
    ...expired,
    ...decision,
    ...lookAgain(earliest(decision.lookAgainAt, override?.until ?? undefined)),
  }
}

function notManaged(reading: Reading, now: Instant, rules: Rules): PartialDecision {
  const { state } = reading
  if (state.asleep) {
    const reason: Reason = { code: 'disabled', text: 'managing was turned off, so it wakes' }
    const backoff = backoffInEffect(state, now)
    if (backoff?.cause === 'failure') return waiting(backoff, reason)
    return { action: 'wake', trigger: 'disable', reason, replicas: countToWake(reading), cleared: true }
  }
  const { enabled } = reading.effective.sources
  const off = ofSource(enabled)
  const because = off === '' ? '' : `, since dormouse.dev/enabled${off} is "false"`
  const inherits = enabled === 'workload' && inheritsEnabled(reading, rules) ? ' with ?inherit=true' : ''
  const until = `not managed until POST ${pathOf(reading.workload)}/enable${inherits}${because}`
  const decision = noAction('not_managed', until)
  // Of one that has lost what it inherited nothing is written: its intent rests until it is managed again.
  return enabled === 'workload' ? { ...decision, cleared: true } : decision
}

/** Whether it would be managed without an `enabled` of its own. */
function inheritsEnabled({ workload }: Reading, rules: Rules): boolean {
  return rules.inherited?.(workload)?.settings.enabled?.text === 'true'
}

function managed(
  reading: Reading,
  override: Override | undefined,
  now: Instant,
  rules: Rules,
): PartialDecision {
  const { state } = reading
  const kept = keptByOther(reading)
  if (kept !== undefined) return noAction('kept_by_other', kept)
  const desire = desired(reading, now, rules)
  const drift = driftOf(reading, override, desire, now, rules)
  if (drift?.adopts) return drift
  if (!drift && state.pin) {
    const { state: pinned, by, at } = state.pin
    return noAction('pinned', `pinned ${pinned} by ${by} since ${iso(at)}`)
  }
  const pending = drift || isOver(desire) ? undefined : pendingRequest(reading, now)
  if (pending) return pending
  if (!drift && override) return overridden(override)
  const decision = unlessHeld(
    reading,
    withoutRisk(reading, drift ?? automatic(reading, desire, now, rules)),
    rules,
  )
  const fought = drift?.action === 'snooze' ? fight(reading, now, rules) : undefined
  const backoff = backoffInEffect(state, now)
  if (backoff && decision.action !== 'none' && !decision.adopts)
    return waiting(backoff, decision.reason, fought?.text)
  if (fought?.backoff && decision.action === 'snooze')
    return { ...waiting(fought.backoff, decision.reason, fought.text), rests: fought.backoff }
  return { ...decision, ...lookAgain(state.pin ? undefined : desire.next) }
}

/** Whether something that came later puts it to sleep: an edge, or the end of what was asked for. */
function isOver({ want, rule }: Desired): boolean {
  return want === 'asleep' && (rule === 'schedule' || rule === 'own hours' || rule === 'until passed')
}

/** A wake that somebody asked for by annotation, as far as the write of the annotation could not carry it out. */
function pendingRequest({ state }: Reading, now: Instant): PartialDecision | undefined {
  const asked = pendingWake(state)
  if (!asked) return undefined
  const reason: Reason = { code: 'intent', text: `awake by request of ${asked.by}` }
  const backoff = backoffInEffect(state, now)
  if (backoff?.cause === 'failure') return waiting(backoff, reason)
  return { action: 'wake', trigger: 'api', by: asked.by, replicas: 1, reason }
}

/** An automatic snooze that would lose data is not done; a sleeper that was found running then counts as awake. */
function withoutRisk(reading: Reading, decision: PartialDecision): PartialDecision {
  const { workload, state } = reading
  if (decision.action !== 'snooze' || !isRunning(workload)) return decision
  const why = riskOf(workload)
  if (why === undefined) return decision
  const risk: Reason = {
    code: 'data_at_risk',
    text: `left awake: ${why} (then: ${decision.reason.text})`,
  }
  if (!state.asleep) return { action: 'none', reason: risk }
  return { ...asFound(reading), reason: risk }
}

/**
 * Others have paused KEDA, so nothing puts the workload to sleep by itself; one found running counts as awake. A wake
 * is carried out: nothing stays down for good.
 */
function unlessHeld(reading: Reading, decision: PartialDecision, rules: Rules): PartialDecision {
  const why = heldByKeda(reading.workload, rules)
  if (why === undefined || decision.adopts || decision.action === 'wake') return decision
  const { workload, state } = reading
  const then = decision.action === 'snooze' ? ` (then: ${decision.reason.text})` : `; ${decision.reason.text}`
  const { pending: _, ...is } = decision.reason
  const reason: Reason = { ...is, code: 'held_by_keda', text: `${why}${then}` }
  if (decision.action === 'none') return { ...decision, reason }
  if (!state.asleep || !isRunning(workload)) return { action: 'none', reason }
  return { ...asFound(reading), reason }
}

/** The marks follow what runs. */
function asFound(reading: Reading): Omit<PartialDecision, 'reason'> {
  const { replicas } = reading.workload
  return { action: 'adopt', adopts: true, trigger: 'recovery', replicas, kept: stillKept(reading) }
}

const CODE: Record<DesiredBy, ReasonCode> = {
  schedule: 'schedule',
  'own hours': 'nothing_automatic',
  intent: 'intent',
  until: 'until',
  'until passed': 'until_passed',
  grace: 'grace',
  nothing: 'nothing_automatic',
}

/** Does what the schedule or the latest intent asks for. */
function automatic(reading: Reading, desire: Desired, now: Instant, rules: Rules): PartialDecision {
  const { rule, text, saysFault } = desire
  const reason: Reason = { code: CODE[rule], text, ...(saysFault ? { saysFault } : {}) }
  const kept = countToGiveBack(reading)
  if ((desire.want === 'asleep') === reading.state.asleep) {
    if (kept !== undefined) return givenBack(reading, desire, kept, reason, now)
    return {
      action: 'none',
      reason: isRunning(reading.workload) || reading.state.asleep ? reason : emptied(reading, reason, rules),
    }
  }
  const transition = {
    reason: { ...reason, pending: pendingText(desire) },
    ...desire.withTransition,
    ...(desire.since === undefined ? {} : { dueAt: dueSince(reading, desire.since) }),
  }
  return desire.want === 'asleep'
    ? { action: 'snooze', replicas: countToKeep(reading), ...transition }
    : { action: 'wake', replicas: countToWake(reading), ...transition }
}

/** True on every replica: only the leader knows whether it is a queue or a refusal, of which its Events tell. */
function pendingText({ want, text }: Desired): string {
  const why = text.startsWith(want) ? text.slice(want.length) : `: ${text}`
  return `is to ${want === 'asleep' ? 'sleep' : 'wake'}${why}; not done yet: it waits for its turn, or the cluster refuses it (see its Events)`
}

/** Somebody woke it to fewer replicas than were kept: the next edge brings those back. */
function givenBack(
  reading: Reading,
  desire: Desired,
  kept: number,
  reason: Reason,
  now: Instant,
): PartialDecision {
  const { latestEdge: edge, nextEdge } = scheduleInForce(reading, now) ?? {}
  const wokenAt = reading.state.woken?.at ?? now
  if (!edge || edge.at <= wokenAt) {
    const back = nextEdge?.to === 'awake' ? `, and come back ${iso(nextEdge.at)}` : ''
    return { action: 'none', reason: { ...reason, text: `${reason.text}; ${kept} are kept${back}` } }
  }
  const dueAt = dueSince(reading, edge.at)
  return { action: 'wake', replicas: kept, reason, dueAt, ...desire.withTransition }
}

/** Since when a transition is due: the clock's instant, or the end of the override or backoff that it waited for. */
function dueSince({ state: { override, backoff } }: Reading, since: Instant): Instant {
  return Math.max(since, override?.until ?? 0, backoff?.until ?? 0)
}

/** Awake with 0 replicas: Dormouse did not scale it down, so no schedule scales it up. */
function emptied(reading: Reading, reason: Reason, rules: Rules): Reason {
  if (isScaledByKeda(reading.workload, rules))
    return { ...reason, text: `${reason.text}; KEDA has it at 0 replicas while no trigger is active` }
  const text = `${emptiedBy(reading)}: POST ${pathOf(reading.workload)}/wake to bring it back (${reason.text})`
  return { ...reason, text }
}

/** A manager that set the count by the object itself may have created it so, or sends it so with each sync. */
function emptiedBy(reading: Reading): string {
  const { kind, replicasManager, scaledBy } = reading.workload
  const suspends = sleepsSuspended(kind)
  if (scaledBy !== undefined || replicasManager === undefined || isScaled(reading.workload))
    return `${scaling(reading).who} ${suspends ? 'suspended it' : 'scaled it to 0'}`
  const { manager } = replicasManager
  // The API server's name for a client that gave none; our own write of 0 leaves it as its owner had it.
  const name = manager === 'unknown' || manager === FIELD_MANAGER ? '' : ` (${manager})`
  return `kept ${suspends ? 'suspended' : 'at 0'} by its owner${name}`
}

function overridden({ by, until }: Override): PartialDecision {
  return noAction('overridden', `overridden by ${by} ${until === null ? 'for good' : `until ${iso(until)}`}`)
}

/** `fought`: what an autoscaler does against it. */
function waiting({ cause, until }: Backoff, then: Reason, fought?: string): PartialDecision {
  const why = cause === 'flapping' && fought !== undefined ? fought : causeText(cause)
  return {
    ...noAction('backoff', `waits until ${iso(until)}: ${why} (then: ${then.text})`),
    ...lookAgain(until),
  }
}
