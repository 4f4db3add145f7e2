import { partsOf } from './jws.ts'
import { byClaims, refused, type Row, type SigningIssuer } from './row.ts'

/** Issuers of the configuration whose keys cannot be had, and one that it does not have. */
export const ISSUER = {
  down: 'https://down.example.com',
  redirecting: 'https://redirecting.example.com',
  unknown: 'https://login.example.org',
} as const

const malformed = byClaims('the token is malformed: get one from an issuer that is trusted here: …')
const notTrusted = 'the token is of an issuer that is not trusted here'
const otherAudience = byClaims('the token is for another audience: get a new token')
const nameless = byClaims('the claim sub is not a name: get a token that names its subject')
const withoutKeys = {
  oidc: refused("the keys of this token's issuer cannot be fetched now: try again", 503),
}

/** Tokens that a trusted issuer has signed, and that are not for us or not for now (RFC 8725, sections 3.8 and 3.9). */
export const CLAIMS: readonly Row<SigningIssuer>[] = [
  claims('that has expired', byClaims('the token has expired: get a new token'), (now) => ({
    exp: now - 31,
  })),
  claims('that is not valid yet', byClaims('the token is not valid yet: get a new token'), (now) => ({
    nbf: now + 90,
  })),
  claims('issued in the future', byLocal('the token was issued in the future'), (now) => ({ iat: now + 90 })),
  claims('valid for more than 24 hours', byLocal('the token lives longer than 24 hours'), (now) => ({
    exp: now + 86_490,
  })),
  ...['exp', 'sub', 'aud'].map((claim) =>
    claims(`without ${claim}`, byClaims(`the claim ${claim} is missing: get a new token`), () => ({
      [claim]: undefined,
    })),
  ),
  claims('without iat', { local: refused('the claim iat is missing: get a new token') }, () => ({
    iat: undefined,
  })),
  claims('without iss', malformed, () => ({ iss: undefined })),
  claims('whose exp is a text', byClaims('the claim exp is not valid: get a new token'), () => ({
    exp: 'never',
  })),
  ...['', 7, ['alice']].map((sub) =>
    claims(`whose sub is ${JSON.stringify(sub)}`, nameless, () => ({ sub })),
  ),
  claims('of another issuer', byClaims(`${notTrusted}: it is of "${ISSUER.unknown}", and …`), () => ({
    iss: ISSUER.unknown,
  })),
  {
    what: 'a token of its issuer with a slash more',
    refused: byClaims(`${notTrusted}: …`),
    send: ({ issue, good }) => issue({ iss: `${issuerOf(good)}/` }),
  },
  {
    what: 'a token of a list of issuers',
    refused: malformed,
    send: ({ issue, good }) => issue({ iss: [issuerOf(good)] }),
  },
  claims('for another audience', otherAudience, () => ({ aud: 'bank' })),
  claims('for an audience that begins as ours', otherAudience, () => ({ aud: 'dormouse-admin' })),
  claims('for several audiences that begin as ours', otherAudience, () => ({
    aud: ['dormouse-admin', 'dormouse.dev'],
  })),
  claims('for the beginning of our audience', otherAudience, () => ({ aud: 'dorm' })),
  claims('for our audience in capitals', otherAudience, () => ({ aud: 'DORMOUSE' })),
  claims('for no audience', otherAudience, () => ({ aud: [] })),
  claims('of an issuer whose keys are answered with 503', withoutKeys, () => ({ iss: ISSUER.down })),
  claims('of an issuer whose keys are redirected to http', withoutKeys, () => ({ iss: ISSUER.redirecting })),
]

/** `change` makes other claims; `now` is in seconds since the epoch. */
function claims(
  what: string,
  refused: Row<never>['refused'],
  change: (now: number) => object,
): Row<SigningIssuer> {
  return {
    what: `a token ${what}`,
    refused,
    send: ({ issue }) => issue(change(Math.floor(Date.now() / 1000))),
  }
}

function byLocal(fault: string): Row<never>['refused'] {
  return { local: refused(`${fault}: get one from dormouse token`) }
}

function issuerOf(token: string): string {
  return (partsOf(token).claims as { iss: string }).iss
}
