import { allow, type AdmissionDecision } from '../../domain/admission/decision.ts'
import { admitScale } from '../../domain/admission/scale.ts'
import { authorBy } from '../../domain/workload/author.ts'
import { isBuiltIn, kindOf } from '../../domain/kinds.ts'
import { keyOf, type WorkloadKey } from '../../domain/workload/workload.ts'
import { Refusal } from '../../process/errors.ts'
import { Crowded } from './current-workloads.ts'
import { jsonOf } from './json.ts'
import { lookForKey } from './keys.ts'
import type { Deciding } from './deciding.ts'
import { isStranger, withoutDetails } from './strangers.ts'
import { Unread, type ReviewRequest } from './review.ts'

/** A resourceVersion (KEP-5504), of at most twice the length that 64 bits need. */
const DECIMAL = /^[1-9]\d{0,38}$/

/**
 * Decides on an UPDATE of the scale subresource. A Scale carries nothing of its workload but uid and resourceVersion,
 * so the decision is about the workload as it is at that version. @throws Unread
 */
export async function reviewScale(review: ReviewRequest, deps: Deciding): Promise<AdmissionDecision> {
  const { workloads, current, rules, clock, logger, scalings, configured, isAuthenticated } = deps
  const { namespace, name, operation, subResource, resource, userInfo, options, dryRun } = review
  const kind = kindOf(resource.group, resource.resource)
  if (operation !== 'UPDATE' || subResource !== 'scale')
    throw new Unread('unexpected', 'the review is not that of a scaling')
  if (!kind || !(isBuiltIn(kind) || configured?.has(kind)))
    throw new Unread('unexpected', 'Dormouse does not serve this kind')
  const key: WorkloadKey = { kind, namespace, name }
  const { uid, resourceVersion } = scaleOf(review.oldObject)
  if (!DECIMAL.test(resourceVersion))
    throw new Unread('unexpected', 'the resourceVersion of oldObject is not a decimal integer')
  const { replicas } = scaleOf(review.object)
  let workload
  try {
    workload = await current.at(key, { uid, resourceVersion })
  } catch (error) {
    logger.warn({ err: error, workload: keyOf(key) }, 'a scaling could not be checked')
    const cause = isStranger(uid, workloads.get(key), deps) ? 'try again' : causeOf(error)
    throw new Unread('unchecked', cause)
  }
  // A Deployment's ReplicaSets carry copies of its annotations.
  if (!workload || (kind === 'replicasets' && workload.owner)) return allow('not_managed')
  await lookForKey(workload, deps)
  const decision = admitScale(workload, replicas, clock(), rules)
  if (isStranger(uid, workload, deps)) return withoutDetails(decision, workload)
  if (decision.reason === 'manual_wake' && !dryRun && userInfo.username !== '') {
    const by = authorBy(isAuthenticated ? 'k8s' : 'review', userInfo.username)
    scalings.add({ uid: workload.uid, replicas, by, manager: options.fieldManager })
    logger.info({ workload: keyOf(workload), by, replicas }, 'a sleeper is woken by hand')
  }
  return decision
}

/** The fields of a Scale that we read; a forged review may have any shape. */
function scaleOf(object: unknown) {
  const { metadata, spec } = jsonOf(object)
  const { uid, resourceVersion } = jsonOf(metadata)
  const { replicas } = jsonOf(spec)
  return {
    uid: typeof uid === 'string' ? uid : undefined,
    resourceVersion: typeof resourceVersion === 'string' ? resourceVersion : '',
    replicas: typeof replicas === 'number' ? replicas : 0,
  }
}

/** Why the workload could not be read, for the person who scales it. */
function causeOf(error: unknown): string {
  if (error instanceof Crowded) return 'too many scalings are being checked at once. Try again'
  if (!(error instanceof Error) || error.name === 'TimeoutError')
    return 'the API server did not answer it in time. Try again'
  if (!(error instanceof Refusal && error.code === 'CLUSTER_REJECTED')) return error.message
  const { message } = error.details
  const reason = typeof message === 'string' ? message : error.message
  return `the API server refused to show it to Dormouse: ${reason}`
}
