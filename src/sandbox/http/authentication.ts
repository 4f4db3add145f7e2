import type { IncomingMessage } from 'node:http'
import type { UserInfo } from '../store/object.ts'
import { StatusError } from '../store/status.ts'

/**
 * The user of a request: the one it impersonates, which everyone may do, else the sandbox's administrator.
 * @throws StatusError 401 for a token: the sandbox issues none
 */
export function requestUser(request: IncomingMessage): UserInfo {
  if (request.headers.authorization !== undefined) throw new StatusError(401, 'Unauthorized')
  return impersonated(request) ?? ADMINISTRATOR
}

const ADMINISTRATOR: UserInfo = {
  username: 'sandbox-admin',
  groups: ['system:masters', 'system:authenticated'],
}

const EXTRA = 'impersonate-extra-'

function impersonated({ headersDistinct: headers }: IncomingMessage): UserInfo | undefined {
  const username = headers['impersonate-user']?.[0]
  if (username === undefined) return undefined
  const uid = headers['impersonate-uid']?.[0]
  const groups = headers['impersonate-group'] ?? []
  const extra = Object.entries(headers)
    .filter(([name]) => name.startsWith(EXTRA))
    .map(([name, values]) => [decodeURIComponent(name.slice(EXTRA.length)), values])
  const isAccount = username.startsWith('system:serviceaccount:') && groups.length === 0
  return {
    username,
    ...(uid === undefined ? {} : { uid }),
    groups: isAccount ? groupsOf(username) : [...groups, 'system:authenticated'],
    ...(extra.length > 0 ? { extra: Object.fromEntries(extra) } : {}),
  }
}

function groupsOf(serviceAccount: string): string[] {
  const namespace = serviceAccount.split(':')[2] ?? ''
  return ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated']
}
