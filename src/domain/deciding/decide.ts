import type { Instant } from '../../process/clock.ts'
import { sleepsSuspended } from '../kinds.ts'
import { ofSource } from '../policy/settings.ts'
import { iso, isoOrNull } from '../text.ts'
import { hasRoomToWake } from '../workload/change.ts'
import { keptByOther } from '../workload/counts.ts'
import { CLEAR_OVERRIDE, pinText, pinValues, UNPIN, type Remedy } from '../workload/explanation.ts'
import type { Reading } from '../workload/reading.ts'
import { isManaged } from '../workload/settings.ts'
import { operationInProgress, pendingWake, type Backoff, type Override } from '../workload/state.ts'
import { countFault, FIELD_MANAGER, isScaled, nameOf, type Workload } from '../workload/workload.ts'
import { causeText, backoffFromFight } from './backoff.ts'
import {
  because,
  lookAgain,
  noAction,
  reworded,
  type Decision,
  type PartialDecision,
  type Reason,
} from './decision.ts'
import { driftOf } from './drift.ts'
import { desired, DESIRED_BY, earliest, endsOf, type Desired } from './intent.ts'
import type { Rules } from './rules.ts'
import { fightOf } from './scaling.ts'
import type { Situation } from './situation.ts'

const VOLUMES_AT_RISK =
  'its persistentVolumeClaimRetentionPolicy.whenScaled is Delete, so sleeping would delete its volumes'
const COUNT_AT_RISK =
  'its annotations are nearly as large as the API server takes, so the state to wake it by might not fit'

/** Why putting a workload to sleep would lose data (volumes: KEP-1847); undefined: it would not. */
export function riskOf(workload: Workload): string | undefined {
  if (workload.deletesVolumes) return VOLUMES_AT_RISK
  return hasRoomToWake(workload) ? undefined : COUNT_AT_RISK
}

/** The decision about a workload. Idempotent: once it is carried out, the next decision changes nothing. */
export function decide(situation: Situation): Decision {
  const { workload, state, now, rules, counts } = situation
  const asItIs = { trigger: 'schedule', by: null, replicas: counts.kept } as const
  if (workload.deleting) return { ...asItIs, ...noAction('deleting', () => 'it is being deleted') }
  const running = operationInProgress(state)
  const timeout = running ? running.at + rules.policy.operationTimeout : 0
  const { lookAgainAt, ...decision } = undeleted(situation)
  return { ...asItIs, ...decision, ...lookAgain(earliest(lookAgainAt, timeout > now ? timeout : undefined)) }
}

function undeleted(situation: Situation): PartialDecision {
  const { reading, workload, state, rules, override } = situation
  const { enabled, effective } = reading
  const podOwner = rules.podOwnerOf?.(workload)
  if (podOwner)
    return noAction(
      'scaled_by_other',
      () => `left alone: ${nameOf(podOwner)} scales it in its place (workloadRef)`,
      { values: { owner: nameOf(podOwner) } },
    )
  if (!reading.isSettled)
    return noAction(
      'namespace_unknown',
      () => `the Namespace ${workload.namespace} is not known yet, or is being deleted, so nothing is done`,
    )
  if (enabled === 'unclear' && !situation.isHeld)
    return noAction(
      'enabled_unclear',
      () =>
        `dormouse.dev/enabled${ofSource(effective.sources.enabled)} is neither "true" nor "false", so nothing is done`,
      { values: { source: effective.sources.enabled } },
    )
  const fault = enabled || state.asleep ? countFault(workload) : undefined
  if (fault !== undefined)
    return noAction('data_at_risk', () => `left alone: ${fault}`, { values: { fault } })
  const expired = state.override && !override ? ({ overrideExpired: true } as const) : {}
  const decision = enabled === true || situation.isHeld ? managed(situation) : notManaged(situation)
  return {
    ...expired,
    ...decision,
    ...lookAgain(earliest(decision.lookAgainAt, override?.until ?? undefined)),
  }
}

function notManaged(situation: Situation): PartialDecision {
  const { reading, workload, state, rules, backoff } = situation
  if (state.asleep) {
    const reason = because('disabled', () => 'managing was turned off, so it wakes')
    if (backoff?.cause === 'failure') return waiting(backoff, { action: 'wake', reason })
    return { action: 'wake', trigger: 'disable', reason, replicas: situation.counts.toWake, cleared: true }
  }
  const { enabled } = reading.effective.sources
  const text = () => {
    const off = ofSource(enabled)
    if (off === '') return 'not managed'
    const found = workload.annotations.enabled ?? rules.inherited(workload)?.settings.enabled?.text ?? ''
    return `not managed, since dormouse.dev/enabled${off} is "${found.trim()}"`
  }
  const decision = noAction('not_managed', text, {
    values: { source: enabled },
    remedy: toManage(reading, rules),
  })
  // If it lost an inherited `enabled`, write nothing; its state waits until it is managed again.
  return enabled === 'workload' ? { ...decision, cleared: true } : decision
}

/** The request that makes it managed: it removes its own `enabled` if that alone is in the way, else sets it. */
export function toManage({ workload, effective }: Reading, rules: Rules): Remedy {
  const isOwn = effective.sources.enabled === 'workload'
  const inherits = isOwn && isManaged({ ...workload, annotations: {} }, rules)
  return { action: 'enable', query: inherits ? { inherit: 'true' } : {} }
}

function managed(situation: Situation): PartialDecision {
  const { reading, workload, state, now, rules, override, backoff } = situation
  const kept = keptByOther(reading)
  if (kept !== undefined) return noAction('kept_by_other', () => kept)
  const desire = desired(situation)
  const drift = driftOf(situation, desire)
  if (drift?.adopts) return drift
  if (!drift && state.pin) {
    const { pin } = state
    return noAction('pinned', () => pinText(pin), { values: () => pinValues(pin), remedy: UNPIN })
  }
  const pending = drift || isOver(desire) ? undefined : pendingRequest(situation)
  if (pending) return pending
  if (!drift && override)
    return overridden(override, () => ({ ...automatic(situation, desire), ...lookAgain(desire.next) }))
  const decision = unlessHeld(situation, withoutRisk(situation, drift ?? automatic(situation, desire)))
  const fought = drift?.action === 'snooze' ? fightOf(workload, rules) : undefined
  if (backoff && decision.action !== 'none' && !decision.adopts) return waiting(backoff, decision, fought)
  const started = fought === undefined ? undefined : backoffFromFight(state, now, rules.policy)
  if (started && decision.action === 'snooze')
    return { ...waiting(started, decision, fought), startsBackoff: started }
  return { ...decision, ...lookAgain(state.pin ? undefined : desire.next) }
}

/** Whether a later cause puts it to sleep: an edge, or the end of a request. */
function isOver({ want, rule }: Desired): boolean {
  return want === 'asleep' && DESIRED_BY[rule].isLater
}

/** The part of a wake by annotation that the webhook's write could not do (a CronJob's status). */
function pendingRequest({ state, backoff }: Situation): PartialDecision | undefined {
  const asked = pendingWake(state)
  if (!asked) return undefined
  const { by } = asked
  const reason = because('intent', () => `awake by request of ${by}`, {
    values: { want: 'awake', by, trigger: 'api', until: null },
  })
  if (backoff?.cause === 'failure') return waiting(backoff, { action: 'wake', reason })
  return { action: 'wake', trigger: 'api', by: asked.by, replicas: 1, reason }
}

/** An automatic snooze that would lose data is not done; a sleeper that was found running then counts as awake. */
function withoutRisk(situation: Situation, decision: PartialDecision): PartialDecision {
  const { workload, state, isRunning } = situation
  if (decision.action !== 'snooze' || !isRunning) return decision
  const why = riskOf(workload)
  if (why === undefined) return decision
  const reason = because('data_at_risk', () => `left awake: ${why} (then: ${decision.reason.text})`, {
    values: { fault: why },
    remedy: { action: 'snooze', query: { force: 'true' } },
  })
  return state.asleep ? { ...asFound(situation), reason } : { action: 'none', reason }
}

/**
 * Others have paused KEDA, so nothing puts the workload to sleep by itself; one found running counts as awake. A wake
 * is carried out: nothing stays down for good.
 */
function unlessHeld(situation: Situation, decision: PartialDecision): PartialDecision {
  const { state, keda, isRunning } = situation
  const why = keda.held
  if (why === undefined || decision.adopts || decision.action === 'wake') return decision
  const isSnooze = decision.action === 'snooze'
  const words = (text: string) => `${why}${isSnooze ? ` (then: ${text})` : `; ${text}`}`
  const reason = reworded(decision.reason, words, { code: 'held_by_keda', values: { fault: why } })
  if (!state.asleep || !isRunning) return { action: 'none', reason }
  return { ...asFound(situation), reason }
}

/** Sets state and label to match the running replicas. */
function asFound({ workload, counts }: Situation): Omit<PartialDecision, 'reason'> {
  const { replicas } = workload
  return { action: 'adopt', adopts: true, trigger: 'recovery', replicas, kept: counts.stillKept }
}

/** Follows the schedule or the latest intent. */
function automatic(situation: Situation, desire: Desired): PartialDecision {
  const { state, counts, isRunning } = situation
  const { rule, text, values, saysFault, since } = desire
  const { code } = DESIRED_BY[rule]
  const says = { values, ...(saysFault && { saysFault }) }
  if ((desire.want === 'asleep') === state.asleep) {
    const reason = because(code, text, says)
    if (counts.toGiveBack !== undefined) return givenBack(situation, desire, counts.toGiveBack, reason)
    return { action: 'none', reason: isRunning || state.asleep ? reason : emptied(situation, reason) }
  }
  const transition = {
    reason: because(code, text, { ...says, pending: () => pendingText(desire, state.backoff) }),
    ...desire.withTransition,
    ...(since === undefined ? {} : { dueAt: dueSince(situation, since) }),
  }
  return desire.want === 'asleep'
    ? { action: 'snooze', replicas: counts.toKeep, ...transition }
    : { action: 'wake', replicas: counts.toWake, ...transition }
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

/** Somebody woke it to fewer replicas than were kept: the next edge brings those back. */
function givenBack(situation: Situation, desire: Desired, kept: number, reason: Reason): PartialDecision {
  const { state, now, hours, intent } = situation
  const { latestEdge: edge, nextEdge } = (hours && endsOf(hours, intent, now)) ?? {}
  const wokenAt = state.woken?.at ?? now
  if (!edge || edge.at <= wokenAt) {
    const back = nextEdge?.to === 'awake' ? `, and come back ${iso(nextEdge.at)}` : ''
    return { action: 'none', reason: reworded(reason, (text) => `${text}; ${kept} are kept${back}`) }
  }
  const dueAt = dueSince(situation, edge.at)
  return { action: 'wake', replicas: kept, reason, dueAt, ...desire.withTransition }
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
  const { kind, replicasManager, scaledBy } = workload
  const suspends = sleepsSuspended(kind)
  if (scaledBy !== undefined || replicasManager === undefined || isScaled(workload))
    return `${scaling.who} ${suspends ? 'suspended it' : 'scaled it to 0'}`
  const { manager } = replicasManager
  // The API server's name for a client that gave none; our own write of 0 leaves it as its owner had it.
  const name = manager === 'unknown' || manager === FIELD_MANAGER ? '' : ` (${manager})`
  return `kept ${suspends ? 'suspended' : 'at 0'} by its owner${name}`
}

/** `then`: what is automatic without it. */
function overridden({ by, until }: Override, then: () => PartialDecision): PartialDecision {
  const text = () => `overridden by ${by} ${until === null ? 'for good' : `until ${iso(until)}`}`
  const values = () => ({ by, until: isoOrNull(until) })
  const decision = noAction('overridden', text, { values, remedy: CLEAR_OVERRIDE })
  if (until === null) return decision
  const next = then()
  return { ...decision, delayed: delayed(next, 'override', until), ...lookAgain(next.lookAgainAt) }
}

/** `fought`: what an autoscaler does against it. */
function waiting(backoff: Backoff, then: PartialDecision, fought?: string): PartialDecision {
  const { cause, until, refusal } = backoff
  const why = cause === 'flapping' && fought !== undefined ? fought : causeText(backoff)
  const text = () => `waits until ${iso(until)}: ${why} (then: ${then.reason.text})`
  const values = () => ({ until: iso(until), cause, ...(refusal !== undefined && { refusal }) })
  const delays = { delayed: delayed(then, 'backoff', until) }
  return { ...noAction('backoff', text, { values }), ...delays, ...lookAgain(until) }
}

function delayed(
  { action, intent }: PartialDecision,
  cause: 'backoff' | 'override',
  until: Instant,
): NonNullable<Decision['delayed']> {
  return { action, cause, until, ...(intent && { intent }) }
}
