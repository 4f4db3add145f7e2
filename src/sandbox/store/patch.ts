import { applyJsonPatch } from './json-patch.ts'
import { applyMergePatch, applyStrategicMergePatch } from './merge-patch.ts'
import { StatusError } from './status.ts'

const PATCHES: Record<string, (document: unknown, patch: unknown) => unknown> = {
  'application/json-patch+json': applyJsonPatch,
  'application/merge-patch+json': applyMergePatch,
  'application/strategic-merge-patch+json': applyStrategicMergePatch,
}

/** What a PATCH of this media type does to a document. @throws StatusError 415 */
export function applyPatch(type: string, patch: unknown): (document: object) => unknown {
  const apply = PATCHES[type]
  if (apply) return (document) => apply(document, patch)
  if (type.startsWith('application/apply-patch+'))
    throw new StatusError(
      415,
      'the sandbox does not do server-side apply: use kubectl apply without --server-side, or a real cluster',
    )
  throw new StatusError(
    415,
    `the body of the request was in an unknown format - accepted media types include: ${Object.keys(PATCHES).join(', ')}`,
  )
}
