import { nameOf, type Workload, type WorkloadKey } from '../domain/workload/workload.ts'
import { Refusal } from '../process/errors.ts'
import { ClusterRefusal } from './failures.ts'

/** The API server's message for a JSON Patch that does not apply because a `test` failed (422 without causes). */
const PATCH_DOES_NOT_APPLY = 'the server rejected our request due to an error in our request'
const NOT_READY_RETRY_S = 1

export function doesNotApply({ status, details }: ClusterRefusal): boolean {
  return status === 422 && details.message === PATCH_DOES_NOT_APPLY
}

export function rewritten(key: WorkloadKey): Refusal {
  const message =
    `${nameOf(key)}: an admission webhook drops or changes dormouse.dev/ annotations or labels that Dormouse writes, ` +
    'so it cannot sleep; do all replicas run as one account, and does no other webhook touch them?'
  return new Refusal('CLUSTER_REJECTED', message)
}

/** An admission webhook dropped the marks that keep the count, and our undo failed: only this message has the count. */
export function notUndone(key: WorkloadKey, { replicas }: Workload, cause: unknown): Refusal {
  const message =
    `${nameOf(key)} was put to sleep, an admission webhook dropped the annotations and the label that keep its ` +
    `count, and it could not be woken again: its count was ${replicas}`
  return new Refusal('CLUSTER_REJECTED', message, { details: { replicas }, cause })
}

export function conflict(key: WorkloadKey, attempts: number): Refusal {
  const message = `${nameOf(key)} was changed by others during each of ${attempts} attempts; try again`
  return new Refusal('CONFLICT', message, { details: { attempts } })
}

export function neverApplies(key: WorkloadKey): Refusal {
  const message = `the cluster does not apply our patch of ${nameOf(key)}, although nothing it tests has changed`
  return new Refusal('CLUSTER_REJECTED', message, { details: { status: 422, message: PATCH_DOES_NOT_APPLY } })
}

/**
 * An admission webhook hangs or fails for this workload; the write did not land, and the details tell the controller
 * so.
 */
export function webhookFailed(key: WorkloadKey, cause: ClusterRefusal): Refusal {
  const { status, noAnswer, details, retryAfter } = cause
  const why = noAnswer
    ? 'it did not answer in time, while it answers other calls: an admission webhook for this workload may hang'
    : String(details['message'])
  const options = { details: { ...details, webhook: true }, cause, ...(retryAfter && { retryAfter }) }
  const message = `the cluster did not take our patch of ${nameOf(key)}: ${why}`
  return new ClusterRefusal('CLUSTER_UNAVAILABLE', message, {
    ...options,
    status,
    ...(noAnswer && { noAnswer }),
  })
}

/** The watches are forbidden too, so the API server is starting: the refusal says nothing about the workload. */
export function notReady(cause: ClusterRefusal): ClusterRefusal {
  const { message, status, details } = cause
  const options = { status, details, cause, retryAfter: NOT_READY_RETRY_S }
  return new ClusterRefusal('CLUSTER_UNAVAILABLE', `${message}; the cluster is not ready`, options)
}
