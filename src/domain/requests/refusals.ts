import { Duration } from 'luxon'
import { Refusal, type ErrorCode } from '../../process/errors.ts'
import { riskOf } from '../deciding/holds.ts'
import { toManage } from '../deciding/decide.ts'
import { durationText } from '../schedule/duration.ts'
import { readWorkload, type Reading } from '../workload/reading.ts'
import type { Rules } from '../deciding/rules.ts'
import type { Situation } from '../deciding/situation.ts'
import { Unreadable } from '../workload/state-codec.ts'
import { counted, iso, secondsUntil } from '../text.ts'
import { pinText, pinValues, REPAIR, UNPIN, type ReasonValues, type Remedy } from '../workload/explanation.ts'
import { countFault, currentReplicas, nameOf, ownedBy, pathOf, type Workload } from '../workload/workload.ts'

interface Why {
  readonly code: string
  readonly values?: ReasonValues
  readonly remedy?: Remedy
  /** Whole seconds. */
  readonly retryAfter?: number
}

/** A refusal about a workload, whose details explain it: each face adds the remedy in its own words. */
export function explainedRefusal(
  refused: ErrorCode,
  reason: string,
  { code, values = {}, remedy, retryAfter }: Why,
): Refusal {
  const details = { reason, reason_code: code, reason_values: values, remedy: remedy ?? null }
  return new Refusal(refused, reason, { details, ...(retryAfter !== undefined && { retryAfter }) })
}

/** A ReplicaSet with a controller owner is its owner's to scale. @throws Refusal OWNED */
export function refuseOwned(workload: Workload): void {
  const { kind, owner, namespace } = workload
  if (kind !== 'replicasets' || !owner) return
  const path =
    owner.kind === 'Deployment' ? pathOf({ kind: 'deployments', namespace, name: owner.name }) : undefined
  const message = `belongs to ${ownedBy(owner)}: ask for that one`
  const values = { owner: ownedBy(owner), path: path ?? null }
  throw explainedRefusal('OWNED', message, { code: 'owned', values })
}

/** A request about a workload that a Rollout scales must go to the Rollout. @throws Refusal OWNED */
export function refuseScaled(workload: Workload, { podOwnerOf }: Rules): void {
  const owner = podOwnerOf?.(workload)
  if (!owner) return
  const message = `${nameOf(owner)} scales it in its place (workloadRef): ask for that one`
  const values = { owner: nameOf(owner), path: pathOf(owner) }
  throw explainedRefusal('OWNED', message, { code: 'scaled_by_other', values })
}

/** A write beside a count that cannot be kept would lose it. @throws Refusal DATA_AT_RISK */
export function refuseCount(workload: Workload): void {
  const fault = countFault(workload)
  if (fault !== undefined)
    throw explainedRefusal('DATA_AT_RISK', `left alone: ${fault}. Set another first`, {
      code: 'data_at_risk',
      values: { fault },
    })
}

/**
 * The workload as its annotations and marks describe it.
 * @throws Refusal INVALID_STATE
 */
export function readOrRefuse(workload: Workload, rules: Rules): Reading {
  const reading = readWorkload(workload, rules)
  return reading instanceof Unreadable ? refuseUnreadable(reading) : reading
}

/** @throws Refusal INVALID_STATE */
export function refuseUnreadable({ fault, message }: Unreadable): never {
  throw explainedRefusal('INVALID_STATE', message, {
    code: 'invalid_state',
    values: { fault },
    remedy: REPAIR,
  })
}

/** Its inherited settings are unknown. @throws Refusal CLUSTER_UNAVAILABLE */
export function refuseUnsettled({ isSettled, workload }: Reading): void {
  if (isSettled) return
  throw new Refusal(
    'CLUSTER_UNAVAILABLE',
    `the Namespace ${workload.namespace} is not known yet, or is being deleted: try again`,
    { retryAfter: 1 },
  )
}

/** Its state names a key that is still looked for: whether a pin holds it is not known. @throws Refusal CLUSTER_UNAVAILABLE */
export function refuseUnclear({ trust }: Reading): void {
  if (trust !== 'unclear') return
  throw new Refusal('CLUSTER_UNAVAILABLE', 'the key that signed its state is being read: try again', {
    retryAfter: 1,
  })
}

/** @throws Refusal NOT_ENABLED */
export function refuseUnmanaged(reading: Reading, rules: Rules): void {
  const { enabled, effective } = reading
  if (enabled === true) return
  throw explainedRefusal('NOT_ENABLED', 'not managed by Dormouse', {
    code: 'not_managed',
    values: { source: effective.sources.enabled },
    remedy: toManage(reading, rules),
  })
}

/** @throws Refusal PINNED */
export function refusePinned({ state: { pin } }: Reading): void {
  if (!pin) return
  throw explainedRefusal('PINNED', pinText(pin), { code: 'pinned', values: pinValues(pin), remedy: UNPIN })
}

/** The same snooze in spite of a risk or a backoff; `limit` in milliseconds. */
function forced(limit: number | undefined): Remedy {
  return {
    action: 'snooze',
    query: { ...(limit !== undefined && { for: durationText(limit) }), force: 'true' },
  }
}

/** Refuses a sleep that would lose data, or disturb what is busy beside it. @throws Refusal DATA_AT_RISK */
export function refuseRisk(
  { workload: before, state, rules }: Situation,
  after: Workload,
  limit: number | undefined,
): void {
  const risk = riskOf(before) ?? (state.asleep ? undefined : rules.busyBeside?.(before)?.why)
  if (risk === undefined || currentReplicas(after) >= currentReplicas(before)) return
  throw explainedRefusal('DATA_AT_RISK', `stays awake: ${risk}`, {
    code: 'data_at_risk',
    values: { fault: risk },
    remedy: forced(limit),
  })
}

/** For a snooze alone: an urgent wake is never refused. @throws Refusal IN_BACKOFF */
export function refuseBackoff({ backoff, now, rules }: Situation, limit: number | undefined): void {
  if (backoff?.cause !== 'flapping') return
  const { maxOperations, window } = rules.policy.backoff
  const within = Duration.fromMillis(window, { locale: 'en' }).rescale().toHuman()
  const message =
    `switched more than ${counted(maxOperations, 'time')} within ${within}: ` +
    `snooze is refused until ${iso(backoff.until)}`
  throw explainedRefusal('IN_BACKOFF', message, {
    code: 'backoff',
    values: { until: iso(backoff.until) },
    remedy: forced(limit),
    retryAfter: secondsUntil(backoff.until, now),
  })
}
