import { API_AUDIENCES } from './authentication.ts'
import type { Tokens } from './authentication.ts'
import { isRecord, list, text } from '../store/object.ts'
import type { JsonRecord, StoredObject, UserInfo } from '../store/object.ts'
import type { ObjectStore } from '../store/object-store.ts'
import { timestamp } from '../store/object-store.ts'
import type { Resource } from '../store/resources.ts'
import { badRequest } from '../store/status.ts'
import type { Clock } from '../../service/process/clock.ts'

export interface ReviewContext {
  tokens: Tokens
  store: ObjectStore
  clock: Clock
}

/** Answers a review, which is created but not stored. @throws StatusError 400 */
export async function review(
  resource: Resource,
  body: unknown,
  user: UserInfo,
  context: ReviewContext,
): Promise<object> {
  const sent = isRecord(body) ? body : {}
  const spec = isRecord(sent['spec']) ? sent['spec'] : {}
  const answer = (status: object) => ({
    ...sent,
    kind: resource.kind,
    apiVersion: `${resource.group}/${resource.version}`,
    status,
  })
  switch (resource.kind) {
    case 'TokenReview':
      return answer(await tokenStatus(spec, context))
    case 'SelfSubjectReview':
      return answer({ userInfo: user })
    default:
      return answer({ allowed: true, reason: 'the sandbox allows everything' })
  }
}

async function tokenStatus(spec: JsonRecord, { tokens, store }: ReviewContext): Promise<object> {
  const audiences = strings(spec, 'audiences')
  const reviewed = await tokens.review(text(spec, 'token'), audiences.length > 0 ? audiences : API_AUDIENCES)
  if (!reviewed) return { user: {}, error: 'invalid bearer token, or none for these audiences' }
  const [, , namespace, name = ''] = reviewed.user.username.split(':')
  const account = store.get('serviceaccounts', namespace, name)
  if (!account) return { user: {}, error: `service account ${namespace ?? ''}/${name} has been deleted` }
  return {
    authenticated: true,
    user: { ...reviewed.user, uid: account.metadata.uid },
    audiences: reviewed.audiences,
  }
}

const SHORTEST_SECONDS = 600
const LONGEST_SECONDS = 86_400

/** Answers a TokenRequest, which `kubectl create token` sends. */
export async function requestToken(
  account: StoredObject,
  body: unknown,
  { tokens, clock }: ReviewContext,
): Promise<object> {
  const sent = isRecord(body) ? body : {}
  const spec = isRecord(sent['spec']) ? sent['spec'] : {}
  const asked = spec['expirationSeconds'] ?? 3600
  if (typeof asked !== 'number' || asked < SHORTEST_SECONDS)
    throw badRequest(`spec.expirationSeconds: Invalid value: may not specify a duration less than 10 minutes`)
  const expirationSeconds = Math.min(asked, LONGEST_SECONDS)
  const named = strings(spec, 'audiences')
  const audiences = named.length > 0 ? named : API_AUDIENCES
  const { name, namespace } = account.metadata
  return {
    kind: 'TokenRequest',
    apiVersion: 'authentication.k8s.io/v1',
    metadata: { name, namespace, creationTimestamp: timestamp(clock()) },
    spec: { audiences, expirationSeconds, boundObjectRef: null },
    status: {
      token: await tokens.issue(account, audiences, expirationSeconds),
      expirationTimestamp: timestamp(clock() + expirationSeconds * 1000),
    },
  }
}

function strings(record: unknown, field: string): string[] {
  return list(record, field).filter((each) => typeof each === 'string')
}
