import { isDeepStrictEqual } from 'node:util'
import { judgeCreate } from '../domain/admission/create.ts'
import { allow } from '../domain/admission/judgement.ts'
import { judgeUpdate } from '../domain/admission/update.ts'
import { ANNOTATION, ASLEEP_LABEL, isKind, SNOOZE_KEY, type Workload } from '../domain/workload.ts'
import { answered, type Answered } from './answered.ts'
import type { WebhookDeps } from './deps.ts'
import type { ReviewRequest } from './review.ts'

type Json = Record<string, unknown>

/** What tools change along with a count, without meaning anything by it. */
const BOOKKEEPING = [
  'kubectl.kubernetes.io/last-applied-configuration',
  'deployment.kubernetes.io/revision',
  'deprecated.daemonset.template.generation',
]
const LONGEST_MANAGER = 128

/** A review of CREATE or UPDATE of a workload; both objects are in the review, so nothing is read. */
export function reviewWorkload(
  request: ReviewRequest,
  { rules, clock, trim }: Pick<WebhookDeps, 'rules' | 'clock' | 'trim'>,
): Answered {
  const { uid, operation, subResource, resource, options, userInfo } = request
  const kind = resource.resource
  const known = resource.group === 'apps' && resource.version === 'v1' && subResource === '' && isKind(kind)
  if (!known || !isJson(request.object)) return answered(uid, allow('unknown'))
  const after = trim(kind, request.object)
  if ((kind === 'replicasets' && after.owner) || after.deleting) return answered(uid, allow('not_managed'))
  if (operation === 'CREATE') return answered(uid, judgeCreate(after, clock(), rules), after)
  if (operation !== 'UPDATE' || !isJson(request.oldObject)) return answered(uid, allow('unknown'))
  const before = trim(kind, request.oldObject)
  // As the registration's matchConditions have it.
  if (!isMarked(before) && !isMarked(after)) return answered(uid, allow('not_managed'))
  const otherChanges = !isDeepStrictEqual(meaningOf(request.oldObject), meaningOf(request.object))
  const manager = (options.fieldManager ?? userInfo.username).slice(0, LONGEST_MANAGER) || null
  return answered(uid, judgeUpdate({ before, after, otherChanges, manager }, clock(), rules), after)
}

function isMarked({ annotations }: Workload): boolean {
  return Object.keys(annotations).length > 0
}

/** The object without its count, our marks and what the API server keeps: what a person means to change. */
function meaningOf(object: Json): Json {
  const metadata = section(object.metadata)
  const spec = section(object.spec)
  const template = section(spec.template)
  const podSpec = section(template.spec)
  return {
    ...object,
    status: undefined,
    metadata: {
      ...metadata,
      managedFields: undefined,
      generation: undefined,
      resourceVersion: undefined,
      // What `kubectl replace` sends lacks them: the API server fills them in after admission.
      uid: undefined,
      creationTimestamp: undefined,
      annotations: less(metadata.annotations, [...Object.values(ANNOTATION), ...BOOKKEEPING]),
      labels: less(metadata.labels, [ASLEEP_LABEL]),
    },
    spec: {
      ...spec,
      replicas: undefined,
      template: {
        ...template,
        spec: { ...podSpec, nodeSelector: less(podSpec.nodeSelector, [SNOOZE_KEY]) },
      },
    },
  }
}

function less(map: unknown, keys: readonly string[]): Json {
  return Object.fromEntries(Object.entries(section(map)).filter(([key]) => !keys.includes(key)))
}

function section(value: unknown): Json {
  return isJson(value) ? value : {}
}

function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
