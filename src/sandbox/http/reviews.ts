import { isRecord } from '../store/object.ts'
import type { UserInfo } from '../store/object.ts'
import { groupVersion } from '../store/resources.ts'
import type { Resource } from '../store/resources.ts'

/** Answers a review, which is created but not stored: the sandbox allows everything, and has issued no token. */
export function review(resource: Resource, body: unknown, user: UserInfo): object {
  const sent = isRecord(body) ? body : {}
  return {
    ...sent,
    kind: resource.kind,
    apiVersion: groupVersion(resource),
    status: statusOf(resource, user),
  }
}

function statusOf({ kind }: Resource, user: UserInfo): object {
  if (kind === 'TokenReview') return { user: {}, error: 'the sandbox issues no tokens' }
  if (kind === 'SelfSubjectReview') return { userInfo: user }
  return { allowed: true, reason: 'the sandbox allows everything' }
}
