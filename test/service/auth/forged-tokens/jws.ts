import {
  createHmac,
  generateKeyPairSync,
  sign,
  type KeyObject,
  type KeyPairKeyObjectResult,
} from 'node:crypto'

/** Computes the signature of a JWS over the bytes given. */
export type Signer = (input: Buffer) => Buffer

/** A header or claims: an object, or the bytes that stand in its place. */
type Part = object | string | Buffer

/** A JWS in compact form (RFC 7515, section 3.1), with any header, payload and signature. */
export function jws(header: Part, payload: Part, signer: Signer): string {
  const input = `${encoded(header)}.${encoded(payload)}`
  return `${input}.${signer(Buffer.from(input)).toString('base64url')}`
}

/** Signs as `EdDSA`, `ES256` or `RS256` asks (RFC 7518, section 3.1; RFC 8037). */
export function signerOf(key: KeyObject): Signer {
  if (key.asymmetricKeyType === 'ed25519') return (input) => sign(null, input, key)
  return (input) => sign('sha256', input, { key, dsaEncoding: 'ieee-p1363' })
}

export function hs256(secret: string | Buffer): Signer {
  return (input) => createHmac('sha256', secret).update(input).digest()
}

/** The same bytes for any content. */
export function always(signature: Buffer): Signer {
  return () => signature
}

export const unsigned = always(Buffer.alloc(0))

/** New keys for an algorithm, of somebody whom nobody trusts. */
export function strangerOf(alg: string): { publicKey: KeyObject; signer: Signer } {
  const { publicKey, privateKey } = newKeys(alg)
  return { publicKey, signer: signerOf(privateKey) }
}

function newKeys(alg: string): KeyPairKeyObjectResult {
  if (alg === 'EdDSA') return generateKeyPairSync('ed25519')
  if (alg === 'ES256') return generateKeyPairSync('ec', { namedCurve: 'P-256' })
  if (alg === 'RS256') return generateKeyPairSync('rsa', { modulusLength: 2048 })
  throw new TypeError(`the stranger has no keys for ${alg}`)
}

export interface Header {
  readonly alg: string
  readonly [parameter: string]: unknown
}

/** Header, claims and signature of a JWT, unverified. */
export function partsOf(token: string): { header: Header; claims: object; signature: Buffer } {
  const [header = '', payload = '', signature = ''] = token.split('.')
  const json = (part: string): unknown => JSON.parse(Buffer.from(part, 'base64url').toString())
  return {
    header: json(header) as Header,
    claims: json(payload) as object,
    signature: Buffer.from(signature, 'base64url'),
  }
}

function encoded(part: Part): string {
  const bytes = typeof part === 'string' || Buffer.isBuffer(part) ? part : JSON.stringify(part)
  return Buffer.from(bytes).toString('base64url')
}
