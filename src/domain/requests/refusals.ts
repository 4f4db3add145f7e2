import { Duration } from 'luxon'
import type { Instant } from '../../service/process/clock.ts'
import { Refusal } from '../../service/process/errors.ts'
import { backoffInEffect } from '../deciding/backoff.ts'
import { BY_API, type Channel } from './channel.ts'
import { riskOf } from '../deciding/decide.ts'
import { readWorkload, type Reading } from '../workload/reading.ts'
import type { Rules } from '../deciding/rules.ts'
import { Unreadable } from '../workload/state-codec.ts'
import { counted, iso, secondsUntil } from '../text.ts'
import { countFault, isRunning, nameOf, ownedBy, pathOf, type Workload } from '../workload/workload.ts'

/** A ReplicaSet with a controller owner is its owner's to scale. @throws Refusal OWNED */
export function refuseOwned(workload: Workload): void {
  const { kind, owner, namespace } = workload
  if (kind !== 'replicasets' || !owner) return
  const path =
    owner.kind === 'Deployment' ? pathOf({ kind: 'deployments', namespace, name: owner.name }) : undefined
  const message = `${nameOf(workload)} belongs to ${ownedBy(owner)}: ask for that${path ? ` at ${path}` : ''}`
  throw new Refusal('OWNED', message, { details: { owner, ...(path ? { path } : {}) } })
}

/** What a Rollout scales in its place is asked for there. @throws Refusal OWNED */
export function refuseScaled(workload: Workload, { scalerOf }: Rules): void {
  const scaler = scalerOf?.(workload)
  if (!scaler) return
  const message = `${nameOf(scaler)} scales ${nameOf(workload)} in its place (workloadRef): ask for that at ${pathOf(scaler)}`
  throw new Refusal('OWNED', message, { details: { path: pathOf(scaler) } })
}

/** Whatever is asked would be written beside a count that cannot be kept. @throws Refusal DATA_AT_RISK */
export function refuseCount(workload: Workload): void {
  const fault = countFault(workload)
  if (fault !== undefined)
    throw new Refusal('DATA_AT_RISK', `${nameOf(workload)} is left alone: ${fault}. Set another first`)
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
  throw new Refusal('INVALID_STATE', message, { details: { reason: fault } })
}

/** What it inherits is not known. @throws Refusal CLUSTER_UNAVAILABLE */
export function refuseUnsettled({ isSettled, workload }: Reading): void {
  if (isSettled) return
  throw new Refusal(
    'CLUSTER_UNAVAILABLE',
    `the Namespace ${workload.namespace} is not known yet, or is being deleted: try again`,
    { retryAfter: 1 },
  )
}

/** @throws Refusal NOT_ENABLED */
export function refuseUnmanaged({ enabled, workload }: Reading, { toEnable }: Channel = BY_API): void {
  if (enabled === true) return
  throw new Refusal(
    'NOT_ENABLED',
    `${nameOf(workload)} is not managed by Dormouse: ${toEnable(workload)} first`,
  )
}

/** @throws Refusal PINNED */
export function refusePinned({ workload, state: { pin } }: Reading, { toUnpin }: Channel = BY_API): void {
  if (!pin) return
  const message = `pinned ${pin.state} by ${pin.by} since ${iso(pin.at)}: ${toUnpin(workload)} first`
  throw new Refusal('PINNED', message, { details: { pin: { ...pin, at: iso(pin.at) } } })
}

/** Refuses to put to sleep what would lose data by it. @throws Refusal DATA_AT_RISK */
export function refuseRisk(before: Workload, after: Workload, { toForce }: Channel = BY_API): void {
  const risk = riskOf(before)
  if (risk === undefined || !isRunning(before) || isRunning(after)) return
  throw new Refusal(
    'DATA_AT_RISK',
    `${nameOf(before)} stays awake: ${risk}. To do it all the same, ${toForce}`,
  )
}

/** For a snooze alone: a wake that somebody needs now is never refused. @throws Refusal IN_BACKOFF */
export function refuseBackoff(
  { state }: Reading,
  now: Instant,
  { policy }: Rules,
  { toForce }: Channel = BY_API,
): void {
  const backoff = backoffInEffect(state, now)
  if (backoff?.cause !== 'flapping') return
  const { maxOperations, window } = policy.backoff
  const within = Duration.fromMillis(window, { locale: 'en' }).rescale().toHuman()
  const message =
    `switched more than ${counted(maxOperations, 'time')} within ${within}: ` +
    `snooze is refused until ${iso(backoff.until)}; wait, or ${toForce}`
  throw new Refusal('IN_BACKOFF', message, {
    details: { backoff_until: iso(backoff.until) },
    retryAfter: secondsUntil(backoff.until, now),
  })
}
