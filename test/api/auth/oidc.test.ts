import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { once } from 'node:events'
import { expect } from 'chai'
import { exportJWK } from 'jose'
import { oidcVerifier } from '../../../src/api/auth/oidc.ts'
import type { Refusal } from '../../../src/errors.ts'
import { AUDIENCE, ISSUER, NOON, publicKey, Service, token } from '../service.ts'
import { managed } from '../states.ts'

const PROVIDER = 'https://login.test'

describe('tokens of an OpenID provider', () => {
  let provider: Server
  let handle: RequestListener
  let fetches: number
  let jwksUri: string
  const first = generateKeyPairSync('rsa', { modulusLength: 2048 })

  const publish = async (keys: Record<string, KeyObject>) => {
    const published = Object.entries(keys).map(async ([kid, key]) => {
      const jwk = await exportJWK(key)
      return Object.assign(jwk, { kid, alg: 'RS256', use: 'sig' })
    })
    const jwks = await Promise.all(published)
    handle = (_request, response) => response.end(JSON.stringify({ keys: jwks }))
  }

  before(async () => {
    provider = createServer((request, response) => {
      fetches += 1
      handle(request, response)
    })
    provider.listen(0, '127.0.0.1')
    await once(provider, 'listening')
    jwksUri = `http://127.0.0.1:${(provider.address() as AddressInfo).port}/keys`
  })

  beforeEach(async () => {
    fetches = 0
    await publish({ first: first.publicKey })
  })

  after(() => {
    provider.close()
    provider.closeAllConnections()
  })

  const verifier = (algorithms = ['RS256']) =>
    oidcVerifier(
      { issuer: PROVIDER, audience: AUDIENCE, jwksUri, algorithms },
      () => NOON,
      () => NOON,
    )
  const signed = (key: KeyObject = first.privateKey, kid: string | undefined = 'first', alg = 'RS256') =>
    token({ claims: { iss: PROVIDER }, key, header: { alg, ...(kid !== undefined && { kid }) } })
  const faultOf = async (verified: Promise<unknown>): Promise<Refusal> =>
    await verified.then(
      () => expect.fail('accepted'),
      (error: Refusal) => error,
    )

  it('are accepted beside local ones, each by its own issuer; `by` starts with oidc:', async () => {
    const service = await Service.start({
      auth: {
        kubernetes: { enabled: false, audiences: [] },
        oidc: [{ issuer: PROVIDER, audience: AUDIENCE, jwksUri, algorithms: ['RS256'] }],
        local: { issuer: ISSUER, audience: AUDIENCE, publicKey },
      },
    })
    try {
      service.cluster.put(managed())
      const { body } = await service.call('POST shop/deployments/web/pin', { token: await signed() })
      expect(body.message).to.match(/oidc:alice/)
      expect((await service.call('GET shop/deployments/web')).status).to.equal(200)
      const forged = await token({ claims: { iss: PROVIDER } })
      expect((await service.call('GET shop/deployments/web', { token: forged })).status).to.equal(401)
    } finally {
      await service.stop()
    }
  })

  it('share one fetch of the keys', async () => {
    const verify = verifier()
    const bearer = await signed()
    await Promise.all([verify(bearer), verify(bearer), verify(bearer)])
    expect(fetches).to.equal(1)
  })

  it('of an unpublished key cause no fetch while the keys are fresh', async () => {
    const verify = verifier()
    await verify(await signed())
    const forged = await signed(
      generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey,
      '../../second',
    )
    for (let index = 0; index < 5; index += 1) {
      expect((await faultOf(verify(forged))).code).to.equal('UNAUTHENTICATED')
    }
    expect(fetches).to.equal(1)
  })

  it('are accepted only with a configured algorithm', async () => {
    expect((await faultOf(verifier(['ES256'])(await signed()))).message).to.include('not allowed')
  })

  const bad: [name: string, answer: RequestListener][] = [
    ['redirects', (_, response) => response.writeHead(302, { Location: 'http://127.0.0.1:1/' }).end()],
    ['fails', (_, response) => response.writeHead(500).end()],
    ['is not JSON', (_, response) => response.end('<html>')],
    ['is no key set', (_, response) => response.end('{"keys": 5}')],
    [
      'is larger than 1 MiB',
      (_, response) => response.end(`{"keys": [], "x": "${'x'.repeat(1024 * 1024)}"}`),
    ],
    [
      'breaks off',
      (_, response) =>
        response.writeHead(200, { 'Content-Length': '100' }).write('{', () => response.destroy()),
    ],
  ]
  for (const [name, answer] of bad) {
    it(`are answered 503 when the answer for the keys ${name}`, async () => {
      handle = answer
      expect((await faultOf(verifier()(await signed()))).code).to.equal('CLUSTER_UNAVAILABLE')
    })
  }

  it('cause no other fetch within 2 s of a failed one', async () => {
    handle = (_request, response) => response.writeHead(500).end()
    const verify = verifier()
    const bearer = await signed()
    for (let index = 0; index < 5; index += 1) await faultOf(verify(bearer))
    expect(fetches).to.equal(1)
  })

  it('need a jwksUri over https, and safe algorithms', () => {
    const settings = {
      issuer: PROVIDER,
      audience: AUDIENCE,
      jwksUri: 'https://login.test/keys',
      algorithms: ['RS256'],
    }
    const make = (change: object) => () =>
      oidcVerifier(
        { ...settings, ...change },
        () => NOON,
        () => NOON,
      )
    expect(make({})).not.to.throw()
    expect(make({ jwksUri: 'http://login.test/keys' })).to.throw(TypeError, 'https')
    expect(make({ jwksUri: 'http://127.0.0.1.evil.test/keys' })).to.throw(TypeError, 'https')
    expect(make({ algorithms: ['RS256', 'HS256'] })).to.throw(TypeError, 'HS256')
    expect(make({ algorithms: ['none'] })).to.throw(TypeError, 'none')
    expect(make({ algorithms: [] })).to.throw(TypeError, 'none')
  })
})
