import { always, hs256, jws, partsOf, strangerOf, unsigned } from './jws.ts'
import {
  bearer,
  byClaims,
  NOT_OF_THE_CLUSTER,
  refused,
  type KnownIssuer,
  type Refused,
  type Row,
  type Sent,
} from './row.ts'

const ALGORITHM = 'the token is signed by an algorithm that is not allowed: get a new token'
const SIGNATURE = 'the signature of the token does not verify: get a new token'
const NO_SUCH_KEY = 'the token is signed by a key that its issuer does not have: get a new token'
const MALFORMED = 'the token is malformed: get one from an issuer that is trusted here: …'

/** Claims of somebody who would like to be more. */
const PROMOTED = { sub: 'admin', scope: 'dormouse:write', groups: ['system:masters'] }

/** Tokens that anybody can make from a good one, and from the issuer's published data. */
export const FORGERIES: readonly Row<KnownIssuer>[] = [
  forgery('a word', MALFORMED, () => 'nonsense'),
  forgery('three words with dots between them', MALFORMED, () => 'header.claims.signature'),
  // RFC 8725, sections 2.1 and 3.1
  ...['none', 'None', 'NONE', 'nOnE'].map((alg) =>
    forgery(`alg ${alg}`, ALGORITHM, ({ good }) => {
      const { header, claims } = partsOf(good)
      return jws({ ...header, alg }, claims, unsigned)
    }),
  ),
  forgery('an empty signature', SIGNATURE, ({ good }) => good.slice(0, good.lastIndexOf('.') + 1)),
  forgery('no signature', MALFORMED, ({ good }) => good.slice(0, good.lastIndexOf('.'))),
  forgery('a signature of zeros', SIGNATURE, ({ good }) => {
    const { header, claims, signature } = partsOf(good)
    return jws(header, claims, always(Buffer.alloc(signature.length)))
  }),
  forgery('the public key as the secret of HS256', ALGORITHM, ({ good, publicKey }) => {
    const { header, claims } = partsOf(good)
    const pem = publicKey.export({ type: 'spki', format: 'pem' })
    return jws({ ...header, alg: 'HS256' }, claims, hs256(pem))
  }),
  forgery('the public key in DER as the secret of HS256', ALGORITHM, ({ good, publicKey }) => {
    const { header, claims } = partsOf(good)
    const der = publicKey.export({ type: 'spki', format: 'der' })
    return jws({ ...header, alg: 'HS256' }, claims, hs256(der))
  }),
  forgery('a signature by another key', SIGNATURE, ({ good }) => strangers(good, {})),
  forgery('tampered claims', SIGNATURE, ({ good }) => {
    const { header, claims, signature } = partsOf(good)
    return jws(header, { ...claims, ...PROMOTED }, always(signature))
  }),
  forgery('a tampered header', SIGNATURE, ({ good }) => {
    const { header, claims, signature } = partsOf(good)
    return jws({ ...header, typ: 'jwt' }, claims, always(signature))
  }),
  // RFC 8725, sections 2.10, 3.9 and 3.10: references to keys in a header are never followed
  forgery('a kid that is the path of an empty file, the secret of HS256', ALGORITHM, ({ good }) => {
    const { header, claims } = partsOf(good)
    return jws({ ...header, alg: 'HS256', kid: '../../../../../dev/null' }, claims, hs256(''))
  }),
  ofKey('a kid that is a path', ({ good }) => strangers(good, { kid: '../../../../../dev/null' })),
  ofKey('a kid that is a URL', ({ good, trap }) => strangers(good, { kid: trap })),
  ofKey('a kid that is SQL', ({ good }) => strangers(good, { kid: "' UNION SELECT 'key" })),
  {
    what: 'a kid that nobody has, after 300 others',
    // the cluster's limit of bad tokens has its own test (login-flood.test.ts)
    refused: { local: refused(SIGNATURE), oidc: refused(NO_SUCH_KEY) },
    send: ({ good }) => {
      const { header, claims } = partsOf(good)
      const { signer } = strangerOf(header.alg)
      const ofKid = (kid: string) => jws({ ...header, kid }, claims, signer)
      return {
        lines: [bearer(ofKid('the last'))],
        flood: Array.from({ length: 300 }, (_, index) => ofKid(`flood-${index}`)),
      }
    },
  },
  forgery("a jku (URL of the forger's keys)", SIGNATURE, ({ good, trap }) =>
    strangers(good, { jku: `${trap}/jwks` }),
  ),
  forgery("an x5u (URL of the forger's certificate)", SIGNATURE, ({ good, trap }) =>
    strangers(good, { x5u: `${trap}/certificate.pem` }),
  ),
  forgery("the forger's key in the header (jwk)", SIGNATURE, ({ good }) => {
    const { header, claims } = partsOf(good)
    const { publicKey, signer } = strangerOf(header.alg)
    return jws({ ...header, jwk: publicKey.export({ format: 'jwk' }) }, claims, signer)
  }),
]

/** Refused with the message; by the cluster, with its own. */
function forgery(what: string, message: string, send: (issuer: KnownIssuer) => Sent): Row<KnownIssuer> {
  return { what, refused: { ...byClaims(message), kubernetes: NOT_OF_THE_CLUSTER }, send }
}

/** The same, where a provider looks for the key that the header names. */
function ofKey(what: string, send: (issuer: KnownIssuer) => Sent): Row<KnownIssuer> {
  const row = forgery(what, SIGNATURE, send)
  const oidc: Refused = refused(NO_SUCH_KEY)
  return { ...row, refused: { ...row.refused, oidc } }
}

/** The claims of a good token below a header of the stranger's, signed by the stranger. */
function strangers(good: string, parameters: object): string {
  const { header, claims } = partsOf(good)
  return jws({ ...header, ...parameters }, claims, strangerOf(header.alg).signer)
}
