import { hash } from 'node:crypto'
import type { AdmissionDecision } from '../../domain/admission/decision.ts'
import { admitUpdate } from '../../domain/admission/update.ts'
import { resourceOf } from '../../domain/kinds.ts'
import { keyOf, type Workload } from '../../domain/workload/workload.ts'
import { Refusal } from '../../process/errors.ts'
import { tooMany } from '../../http/rate-limit.ts'
import type { Deciding } from './deciding.ts'
import type { ReviewRequest } from './review.ts'
import { isStranger, withoutDetails } from './strangers.ts'
import type { NeedsReview } from './workload.ts'

/** Milliseconds: the API server waits 3 s for a review, which may also read the workload. */
const LONGEST_QUESTION = 1200

/** Decides on an update with a request annotation, after the checks of its user: rate and right. */
export async function reviewRequestAnnotation(
  review: ReviewRequest,
  { update, request }: NeedsReview,
  deps: Deciding,
): Promise<AdmissionDecision> {
  const { before } = update
  if (isStranger(before.uid, deps.workloads.get(before), deps)) {
    // No access review and no plan: a forged review would learn of rights, rates and schedules.
    const unknown = new Refusal('CONFLICT', 'it is not known yet: try again')
    return withoutDetails(admitUpdate(update, deps.clock(), deps.rules, unknown), before)
  }
  const refusal =
    overRate(review, before, deps) ??
    (request.needsScale ? await withoutRight(review, before, deps) : undefined)
  return admitUpdate(update, deps.clock(), deps.rules, refusal)
}

/**
 * A rate for each user and workload. Reviews are not authenticated: anybody who can read a workload, and so knows its
 * uid, may use up the rest of its rate, but no other workload's.
 */
function overRate(
  { userInfo }: ReviewRequest,
  { uid }: Workload,
  { rate, limit }: Deciding,
): Refusal | undefined {
  // A name may be as long as a review, so only its hash is kept.
  const key = hash('sha256', JSON.stringify([uid, userInfo.username]), 'base64url')
  try {
    limit.spend(key, tooMany(rate))
    return undefined
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
}

/** The cluster is asked only for reviews that name the uid of the workload: forged ones learn nothing of rights. */
async function withoutRight(
  { userInfo, namespace, name }: ReviewRequest,
  workload: Workload,
  { rights, logger, current }: Deciding,
): Promise<Refusal | undefined> {
  const { group, resource } = resourceOf(workload.kind)
  try {
    const seen = await current.at(workload, workload)
    if (seen?.uid !== workload.uid) return new Refusal('CONFLICT', 'it is not known yet: try again')
    const access = { group, verb: 'update', resource, subresource: 'scale', namespace, name } as const
    if (await inTime(rights.authorize(userInfo, access))) return undefined
    const what = `update ${resource}.${group}/scale in the namespace ${namespace}`
    return new Refusal('FORBIDDEN', `you may not ${what}, which this needs: ask for a Role that allows it`)
  } catch (error) {
    logger.warn({ err: error, workload: keyOf(workload) }, 'the rights of a user could not be checked')
    const message = 'not changed: the cluster does not say now what you may do. Try again'
    return new Refusal('CLUSTER_UNAVAILABLE', message)
  }
}

async function inTime<T>(answer: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error('no answer in time')), LONGEST_QUESTION)
  try {
    return await Promise.race([answer, promise])
  } finally {
    clearTimeout(timer)
  }
}
