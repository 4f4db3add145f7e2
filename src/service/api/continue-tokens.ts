import { createHash, hkdfSync, randomBytes } from 'node:crypto'
import { CompactEncrypt, compactDecrypt } from 'jose'
import type { ApiContext } from './context.ts'
import { subjectKey } from './auth/caller.ts'
import { NAMESPACES } from './openapi/entries.ts'
import { invalid } from './validation.ts'

const ALGORITHM = 'dir'
const ENCRYPTION = 'A256GCM'
const PURPOSE = 'dormouse: continue tokens of lists'

/** Encrypts where a page ended: a token reveals nothing, and only its caller can use it, for the same list. */
export interface ContinueTokens {
  seal(position: string, ctx: ApiContext): Promise<string>
  /** The position; '': the request has no token. @throws Refusal VALIDATION_ERROR that says to start again */
  open(ctx: ApiContext): Promise<string>
}

/**
 * JWE (RFC 7516) by a key derived from a secret that all replicas share; without one, each process has a key of its
 * own. After the secret changes, the previous key still opens tokens.
 *
 *     const tokens = createContinueTokens(() => secretOfAllReplicas)
 *     const token = await tokens.seal('shop/deployments/web', ctx)
 *     const position = await tokens.open(ctxOfTheNextRequest)
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
    throw startAgain('was not issued by this service')
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
      if (list !== listOf(ctx)) throw startAgain('belongs to a list with other filters, or to another caller')
      return position
    },
  }
}

/** Equal for requests of the same caller with the same filters: those may use each other's tokens. */
function listOf({ state: { caller, input, route } }: ApiContext): string {
  const { path, query } = input
  const filters = [
    path.namespace ?? query.namespace,
    path.kind ?? query.kind,
    query.state,
    query.labelSelector,
    // its positions are namespaces, and those of the other lists are workloads
    ...(route === NAMESPACES ? [route] : []),
    // those of a plan are instants, of one workload
    ...(path.name === undefined ? [] : [path.name, query.hours]),
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
