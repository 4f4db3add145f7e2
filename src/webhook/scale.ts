import { judgeScale } from '../domain/admission/scale.ts'
import { allow, deny, type Judgement } from '../domain/admission/judgement.ts'
import { about } from '../domain/admission/messages.ts'
import { authorBy } from '../domain/author.ts'
import { isKind, keyOf, type Workload, type WorkloadKey } from '../domain/workload.ts'
import { Refusal } from '../errors.ts'
import { answered, type Answered } from './answered.ts'
import type { CurrentWorkloads } from './current.ts'
import { Crowded } from './read-pace.ts'
import type { WebhookDeps } from './deps.ts'
import { deny as refused, type ReviewRequest } from './review.ts'

/** Every resourceVersion is one (KEP-5504), and none is much longer than 64 bits need. */
const DECIMAL = /^[1-9]\d{0,38}$/

interface Scale {
  readonly metadata?: { readonly uid?: string; readonly resourceVersion?: string }
  readonly spec?: { readonly replicas?: number }
}

/**
 * A review of an UPDATE of the scale subresource. The Scale carries nothing of the workload but its resourceVersion, so it
 * is judged by the workload as it is at that version.
 */
export async function reviewScale(
  request: ReviewRequest,
  { workloads, rules, clock, logger, scalings }: WebhookDeps,
  current: CurrentWorkloads,
): Promise<Answered> {
  const { uid, namespace, name, operation, subResource, resource, userInfo, options, dryRun } = request
  const kind = resource.resource
  if (operation !== 'UPDATE' || subResource !== 'scale' || resource.group !== 'apps' || !isKind(kind)) {
    return answered(uid, allow('unknown'))
  }
  const key: WorkloadKey = { kind, namespace, name }
  const { uid: named, resourceVersion } = scaleOf(request.oldObject).metadata ?? {}
  if (typeof resourceVersion !== 'string' || !DECIMAL.test(resourceVersion)) {
    const message =
      'Dormouse: oldObject is no Scale of the API server: its resourceVersion is no decimal integer'
    return { answer: refused(uid, message, 400), decision: 'denied', reason: 'unknown' }
  }
  const replicas = scaleOf(request.object).spec?.replicas ?? 0
  /** Strangers are told no more than the decision. */
  const isStranger = (workload: Workload | undefined) => workload?.uid !== named
  let workload
  try {
    workload = await current.at(key, { uid: named, resourceVersion })
  } catch (error) {
    logger.warn({ err: error, workload: keyOf(key) }, 'a scaling could not be checked')
    const cause = isStranger(workloads.get(key)) ? 'try again' : causeOf(error)
    const message = about(key, `could not be checked, so it is not scaled: ${cause}`)
    return { answer: refused(uid, message, 503), decision: 'denied', reason: 'unchecked' }
  }
  // A ReplicaSet with a controller owner carries copies of its Deployment's marks.
  if (!workload || (kind === 'replicasets' && workload.owner)) return answered(uid, allow('not_managed'))
  const judgement = judgeScale(workload, replicas, clock(), rules)
  if (isStranger(workload)) return answered(uid, withoutDetails(judgement, workload))
  if (judgement.reason === 'manual_wake' && !dryRun && userInfo.username !== '') {
    const by = authorBy('k8s', userInfo.username)
    scalings.saw({ uid: workload.uid, replicas, by, manager: options.fieldManager })
    logger.info({ workload: keyOf(workload), by, replicas }, 'a sleeper is woken by hand')
  }
  return answered(uid, judgement)
}

function withoutDetails(judgement: Judgement, workload: Workload): Judgement {
  const { type, reason } = judgement
  if (type === 'allow') return { ...judgement, warnings: [] }
  return deny(reason, about(workload, `is held (${reason})`))
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

function scaleOf(object: unknown): Scale {
  return typeof object === 'object' && object !== null ? object : {}
}
