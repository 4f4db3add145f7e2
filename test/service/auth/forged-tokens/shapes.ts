import { deflateRawSync } from 'node:zlib'
import { jws, partsOf, type Signer } from './jws.ts'
import { byClaims, refused, type Row, type SigningIssuer } from './row.ts'

const malformed = byClaims('the token is malformed: get a new token')
const withoutIssuer = byClaims('the token is malformed: get one from an issuer that is trusted here: …')
const notForAccess = byClaims(
  'the token is of a type that is not for access: its header typ must be JWT or at+jwt, or left out',
)
const noSuchKey = {
  oidc: refused('the token is signed by a key that its issuer does not have: get a new token'),
}

/** Tokens that a trusted issuer has signed, and that are no access tokens in form (RFC 8725, sections 3.2, 3.6, 3.7, 3.11). */
export const SHAPES: readonly Row<SigningIssuer>[] = [
  ...['logout+jwt', 'dpop+jwt', 'secevent+jwt', 'JWE', '', 5].map((typ) =>
    header(`whose typ is ${JSON.stringify(typ)}`, notForAccess, { typ }),
  ),
  header(
    'with a critical extension (crit)',
    byClaims('the token needs an extension (crit) that is not supported here: get a new token'),
    { crit: ['expires-at'], 'expires-at': 7 },
  ),
  header('with an empty crit', malformed, { crit: [] }),
  header('that is not encoded (b64)', malformed, { crit: ['b64'], b64: false }),
  header('without alg', malformed, { alg: undefined }),
  payload('with compressed claims (zip)', (all) => deflateRawSync(JSON.stringify(all)), { zip: 'DEF' }),
  payload('with claims that are not UTF-8', (all) =>
    Buffer.from(JSON.stringify({ ...all, sub: '\xFF\xFE' }), 'latin1'),
  ),
  payload('whose claims are another token', (_, good) => good, { cty: 'JWT' }),
  payload('whose claims are a list', (all) => JSON.stringify([all])),
  signed('that is encrypted (JWE)', withoutIssuer, ({ good }) =>
    [...good.split('.'), 'AAAA', 'AAAA'].join('.'),
  ),
  signed('with a header that is not UTF-8', malformed, ({ good, signer }) => {
    const { header, claims } = partsOf(good)
    return jws(Buffer.from(JSON.stringify({ ...header, x: '\xFF' }), 'latin1'), claims, signer)
  }),
  header('with an unknown kid', noSuchKey, { kid: 'unheard-of' }),
  header(
    'without kid, of an issuer with several keys',
    { oidc: refused('the token does not say which key it is signed by: get a new token') },
    { kid: undefined },
  ),
  signed('by a key that its issuer has taken out of use', noSuchKey, ({ good, former }) =>
    byKey(good, 'former', former),
  ),
  signed(
    'by a key of less than 2048 bits',
    {
      oidc: refused(
        'the key that the token is signed by is too short, or not for signatures: get a new token',
      ),
    },
    ({ good, weak }) => byKey(good, 'weak', weak),
  ),
]

function signed(
  what: string,
  refused: Row<never>['refused'],
  send: (issuer: SigningIssuer) => string,
): Row<SigningIssuer> {
  return { what: `a token ${what}`, refused, send }
}

function header(what: string, refused: Row<never>['refused'], change: object): Row<SigningIssuer> {
  return signed(what, refused, ({ issue }) => issue({}, change))
}

/** The good claims, signed by another key of the provider's. */
function byKey(good: string, kid: string, signer: Signer | undefined): string {
  if (!signer) throw new TypeError(`this issuer has no key ${kid}`)
  const { header, claims } = partsOf(good)
  return jws({ ...header, kid }, claims, signer)
}

/** Signed over a payload that is made of the good claims. */
function payload(
  what: string,
  make: (claims: object, good: string) => string | Buffer,
  change: object = {},
): Row<SigningIssuer> {
  return signed(what, withoutIssuer, ({ good, signer }) => {
    const { header, claims } = partsOf(good)
    return jws({ ...header, ...change }, make(claims, good), signer)
  })
}
