import { isRecord, text } from '../store/object.ts'
import type { JsonRecord, KubeObject, UserInfo } from '../store/object.ts'
import type { Resource } from '../store/resources.ts'
import { StatusError } from '../store/status.ts'
import { WebhookFailure } from './webhook-client.ts'

/** A write as admission sees it, `admission.Attributes` of the real server. */
export interface AdmissionAttributes {
  operation: 'CREATE' | 'UPDATE'
  resource: Resource
  subresource?: string
  namespace: string | undefined
  /** Empty if the name will be made of generateName. */
  name: string
  object: KubeObject
  oldObject: KubeObject | undefined
  options: object
  dryRun: boolean
  user: UserInfo
}

/** A webhook's answer, checked for its form. */
export interface AdmissionAnswer {
  allowed: boolean
  status: JsonRecord
  warnings: string[]
  /** A JSON Patch, not checked yet; undefined: no patch. */
  patch: unknown
}

const VERSION = 'admission.k8s.io/v1'
const KIND = 'AdmissionReview'

/** The AdmissionReview request, as in the API reference "admission.k8s.io/v1". */
export function reviewOf(uid: string, write: AdmissionAttributes): object {
  const { resource, subresource, namespace, name, operation, user } = write
  const { group, version } = resource
  const kind =
    subresource === 'scale'
      ? { group: 'autoscaling', version: 'v1', kind: 'Scale' }
      : { group, version, kind: resource.kind }
  const plural = { group, version, resource: resource.plural }
  return {
    kind: KIND,
    apiVersion: VERSION,
    request: {
      uid,
      kind,
      resource: plural,
      ...(subresource === undefined ? {} : { subResource: subresource }),
      requestKind: kind,
      requestResource: plural,
      ...(subresource === undefined ? {} : { requestSubResource: subresource }),
      ...(name === '' ? {} : { name }),
      ...(namespace === undefined ? {} : { namespace }),
      operation,
      userInfo: user,
      object: shown(write.object),
      oldObject: write.oldObject ?? null,
      dryRun: write.dryRun,
      options: write.options,
    },
  }
}

function shown(object: KubeObject): object {
  const { name, ...metadata } = object.metadata
  return name === '' ? { ...object, metadata } : object
}

/** `webhook`: its name. @throws WebhookFailure for what is no answer to the review */
export function answerOf(webhook: string, uid: string, review: unknown): AdmissionAnswer {
  const malformed = (why: string) =>
    new WebhookFailure(`failed calling webhook "${webhook}": received invalid webhook response: ${why}`)
  const response = isRecord(review) ? review['response'] : undefined
  if (!isRecord(response) || response['uid'] !== uid) throw malformed('it answers no review of ours')
  const { allowed, patch, patchType, status, warnings } = response
  if (Boolean(patch) !== (patchType === 'JSONPatch')) throw malformed('patch without type JSONPatch')
  const decoded = () => {
    try {
      return JSON.parse(Buffer.from(String(patch), 'base64').toString())
    } catch {
      throw malformed('its patch is no JSON')
    }
  }
  return {
    allowed: allowed === true,
    status: isRecord(status) ? status : {},
    warnings: Array.isArray(warnings) ? warnings.filter((each) => typeof each === 'string') : [],
    patch: patch ? decoded() : undefined,
  }
}

/**
 * The error that the client gets for a denial: the webhook's own Status, with a code of at least 400 and a message
 * that names the webhook. Source: `ToStatusErr` of apiserver's admission webhook errors.
 */
export function denied(webhook: string, status: JsonRecord): StatusError {
  const { code, details } = status
  const reason = text(status, 'reason')
  const why = text(status, 'message') || reason
  const deniedBy = `admission webhook "${webhook}" denied the request`
  return new StatusError(
    typeof code === 'number' && code >= 400 && code <= 599 ? code : 400,
    why === '' ? `${deniedBy} without explanation` : `${deniedBy}: ${why}`,
    { reason, ...(isRecord(details) ? { details } : {}) },
  )
}
