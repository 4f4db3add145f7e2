import { createHash, hkdfSync, randomBytes } from 'node:crypto'
import { CompactEncrypt, compactDecrypt } from 'jose'
import type { ApiContext } from './context.ts'
import { subjectKey } from './auth/identity.ts'
import { invalid } from './validation.ts'

const ALGORITHM = 'dir'
const ENCRYPTION = 'A256GCM'
const PURPOSE = 'dormouse: continue tokens of lists'

/** Seals where a page ended, so that a token tells nothing, and serves only its caller and its list. */
export interface ContinueTokens {
  seal(position: string, ctx: ApiContext): Promise<string>
  /** The position; '' where the request has no token. @throws Refusal VALIDATION_ERROR: start again */
  open(ctx: ApiContext): Promise<string>
}

/**
 * JWE (RFC 7516) by a key that follows from what all replicas share and nobody else knows; without such a
 * secret each process has a key of its own. The key before a change of the secret still opens tokens.
 */
export function createContinueTokens(secret: () => string = ownSecret()): ContinueTokens {
  let known: string | undefined
  let keys: Uint8Array[] = []

  function currentKeys(): Uint8Array[] {
    const newest = secret()
    if (newest !== known) {
      keys = [keyFrom(newest), ...keys.slice(0, 1)]
      known = newest
    }
    return keys
  }

  async function opened(token: string): Promise<string> {
    for (const key of currentKeys()) {
      try {
        const { plaintext } = await compactDecrypt(token, key, {
          keyManagementAlgorithms: [ALGORITHM],
          contentEncryptionAlgorithms: [ENCRYPTION],
        })
        return Buffer.from(plaintext).toString()
      } catch {
        // the next key may open it
      }
    }
    throw startAgain('is none that this service gave')
  }

  return {
    async seal(position, ctx) {
      const [key = new Uint8Array()] = currentKeys()
      return await new CompactEncrypt(Buffer.from(`${listOf(ctx)} ${position}`))
        .setProtectedHeader({ alg: ALGORITHM, enc: ENCRYPTION })
        .encrypt(key)
    },
    async open(ctx) {
      const token = ctx.state.input.query.continue
      if (token === undefined) return ''
      const [list, position = ''] = (await opened(token)).split(' ')
      if (list !== listOf(ctx)) throw startAgain('is of a list with other filters, or of another caller')
      return position
    },
  }
}

/** Equal for the requests that one token may go on with: the same caller, and the same filters. */
function listOf({ state: { caller, input } }: ApiContext): string {
  const { path, query } = input
  const filters = [
    path.namespace ?? query.namespace,
    path.kind ?? query.kind,
    query.state,
    query.labelSelector,
  ]
  return createHash('sha256')
    .update(JSON.stringify([subjectKey(caller), ...filters]))
    .digest('base64url')
}

function keyFrom(secret: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, '', PURPOSE, 32))
}

function ownSecret(): () => string {
  const secret = randomBytes(32).toString('base64')
  return () => secret
}

function startAgain(fault: string): Error {
  const message = `${fault}: leave it out to start again from the first page`
  return invalid([{ in: 'query', pointer: '/continue', message }])
}
