import { createPublicKey, createPrivateKey, type JsonWebKey, type KeyObject } from 'node:crypto'
import { eventually } from '../../../support/eventually.ts'
import type { Served } from '../../../support/served.ts'
import type { LocalTokens } from '../../../support/local-tokens.ts'
import { rsaKeys, type OpenIdProvider } from '../openid-provider.ts'
import { ISSUER } from './claims.ts'
import { jws, partsOf, signerOf, type Header } from './jws.ts'
import type { ClusterIssuer, SigningIssuer } from './row.ts'

/** The provider's URL, in the configuration and in its tokens. */
const PROVIDER = 'https://login.example.com'
/** The same provider, whose keys are fetched by https. */
export const SECURE = 'https://secure.example.com'

const AUDIENCE = 'dormouse'
const CLAIMS = {
  aud: AUDIENCE,
  sub: 'alice',
  scope: 'dormouse:read dormouse:write',
  'dormouse.dev/namespaces': ['*'],
}

/** The issuer of the mode `local`. */
export function localIssuer({ issuer, privateKey }: LocalTokens, trap: string): SigningIssuer {
  return signing({ alg: 'EdDSA', typ: 'JWT' }, issuer, createPrivateKey(privateKey), trap)
}

/** An issuer of the mode `oidc`; the provider publishes two of its keys, a short one, and no longer its former one. */
export function oidcIssuer(provider: OpenIdProvider, trap: string): SigningIssuer {
  const [current, next, former, weak] = [rsaKeys(), rsaKeys(), rsaKeys(), rsaKeys(1024)]
  provider.publish(
    { kid: 'current', key: current.publicKey },
    { kid: 'next', key: next.publicKey },
    { kid: 'weak', key: weak.publicKey },
  )
  return {
    ...signing({ alg: 'RS256', typ: 'at+jwt', kid: 'current' }, PROVIDER, current.privateKey, trap),
    former: signerOf(former.privateKey),
    weak: signerOf(weak.privateKey),
  }
}

/** `auth.oidc` of the configuration for these issuers. */
export function oidcSettings(provider: OpenIdProvider): object[] {
  const keys = {
    [PROVIDER]: provider.url('/keys'),
    [SECURE]: provider.url('/keys', 'https'),
    [ISSUER.down]: provider.url('/down'),
    [ISSUER.redirecting]: provider.url('/redirecting', 'https'),
  }
  return Object.entries(keys).map(([issuer, jwksUri]) => ({ issuer, audience: AUDIENCE, jwksUri }))
}

/** The cluster of these tests as an issuer; its keys are public. */
export async function clusterIssuer(here: Served, trap: string): Promise<ClusterIssuer> {
  const grant = {
    verbs: ['get', 'list', 'update', 'patch'],
    resources: ['deployments', 'deployments/scale'],
  }
  const good = await here.cluster.accountToken(here.namespace, 'alice', grant)
  const { header } = partsOf(good)
  const { keys } = (await here.cluster.admin.expect('GET', '/openid/v1/jwks')) as unknown as {
    keys: (JsonWebKey & { kid: string })[]
  }
  const key = keys.find(({ kid }) => kid === header['kid'])
  if (!key) throw new Error('the cluster does not show the key that it signs by')
  const tokenFor = async (audience: string | undefined) => {
    const options = audience === undefined ? [] : ['--audience', audience]
    return (await here.kubectl('create', 'token', 'alice', ...options)).trim()
  }
  const nothing = { verbs: ['get'], resources: ['controllerrevisions'] }
  return {
    good,
    trap,
    publicKey: createPublicKey({ key, format: 'jwk' }),
    tokenFor,
    powerless: () => here.cluster.accountToken(here.namespace, 'powerless', nothing),
    async deleted() {
      const token = await here.cluster.accountToken(here.namespace, 'deleted', grant)
      await here.kubectl('delete', 'serviceaccount', 'deleted')
      // an API server learns of accounts by a watch, and caches its answer about a token for ten seconds
      await eventually('the cluster to know', async () => !(await isOfCluster(here, token)))
      return token
    },
  }
}

async function isOfCluster({ cluster }: Served, token: string): Promise<boolean> {
  const review = { spec: { token, audiences: [AUDIENCE] } }
  const { status } = (await cluster.admin.expect(
    'POST',
    '/apis/authentication.k8s.io/v1/tokenreviews',
    review,
  )) as unknown as { status: { authenticated?: boolean } }
  return status.authenticated === true
}

function signing(header: Header, issuer: string, key: KeyObject, trap: string): SigningIssuer {
  const signer = signerOf(key)
  const issue = (claims: object, parameters: object = {}) => {
    const now = Math.floor(Date.now() / 1000)
    const all = { iss: issuer, ...CLAIMS, iat: now, exp: now + 3600, ...claims }
    return jws({ ...header, ...parameters }, all, signer)
  }
  return { good: issue({}), publicKey: createPublicKey(key), trap, issue, signer }
}
