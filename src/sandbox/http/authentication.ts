import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { generateKeyPair, jwtVerify, SignJWT } from 'jose'
import type { CryptoKey } from 'jose'
import type { Clock } from '../../service/process/clock.ts'
import type { StoredObject, UserInfo } from '../store/object.ts'
import { StatusError } from '../store/status.ts'

const ALGORITHM = 'ES256'
const KEY_ID = 'sandbox'
const ISSUER = 'https://kubernetes.default.svc.cluster.local'

/** The default audiences of a token, which are also those that this API accepts. */
export const API_AUDIENCES = [ISSUER]

/** Issues and verifies service account tokens; the signing key exists as long as the sandbox runs. */
export class Tokens {
  readonly #clock: Clock
  #keys: { privateKey: CryptoKey; publicKey: CryptoKey } | undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  async start(): Promise<void> {
    this.#keys ??= await generateKeyPair(ALGORITHM)
  }

  async issue(account: StoredObject, audiences: string[], expirationSeconds: number): Promise<string> {
    const { namespace = '', name, uid } = account.metadata
    const now = Math.floor(this.#clock() / 1000)
    return new SignJWT({
      'kubernetes.io': { namespace, serviceaccount: { name, uid } },
    })
      .setProtectedHeader({ alg: ALGORITHM, kid: KEY_ID })
      .setIssuer(ISSUER)
      .setSubject(`system:serviceaccount:${namespace}:${name}`)
      .setAudience(audiences)
      .setJti(randomUUID())
      .setIssuedAt(now)
      .setNotBefore(now)
      .setExpirationTime(now + expirationSeconds)
      .sign(this.#key('privateKey'))
  }

  /**
   * The account of a token and those of the wanted audiences that it has; undefined: the token is not valid for
   * any.
   */
  async review(
    token: string,
    wanted: string[],
  ): Promise<{ user: UserInfo; audiences: string[] } | undefined> {
    try {
      const { payload } = await jwtVerify(token, this.#key('publicKey'), {
        algorithms: [ALGORITHM],
        issuer: ISSUER,
        audience: wanted,
        currentDate: new Date(this.#clock()),
      })
      const audience = payload.aud ?? []
      const names = Array.isArray(audience) ? audience : [audience]
      return {
        user: serviceAccount(payload.sub ?? ''),
        audiences: names.filter((each) => wanted.includes(each)),
      }
    } catch {
      return undefined
    }
  }

  #key(half: 'privateKey' | 'publicKey'): CryptoKey {
    if (!this.#keys) throw new TypeError('the sandbox has not been started')
    return this.#keys[half]
  }
}

function serviceAccount(username: string): UserInfo {
  const namespace = username.split(':')[2] ?? ''
  return {
    username,
    groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
  }
}

/**
 * The user of a request: the one it impersonates, which everyone may do, else the token's account, else the
 * sandbox's administrator.
 * @throws StatusError 401
 */
export async function requestUser(request: IncomingMessage, tokens: Tokens): Promise<UserInfo> {
  const bearer = /^Bearer\s+(.+)$/i.exec(request.headers.authorization ?? '')?.[1]
  const reviewed = bearer === undefined ? undefined : await tokens.review(bearer, API_AUDIENCES)
  if (bearer !== undefined && !reviewed) throw new StatusError(401, 'Unauthorized')
  return impersonated(request) ?? reviewed?.user ?? ADMINISTRATOR
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
    groups: isAccount ? serviceAccount(username).groups : [...groups, 'system:authenticated'],
    ...(extra.length > 0 ? { extra: Object.fromEntries(extra) } : {}),
  }
}
