import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { expect } from 'chai'
import { localVerifier } from '../../../../src/service/api/auth/local-token.ts'
import { signature } from '../../../../src/service/api/auth/caller.ts'
import { aWorkload } from '../../../support/fake-cluster.ts'
import { AUDIENCE, ISSUER, NOON, publicKey, Service, token } from '../service.ts'

const seconds = NOON / 1000

/** What is refused is in token-table.test.ts. */
describe('local tokens', () => {
  let service: Service

  before(async () => {
    service = await Service.start()
    service.cluster.put(aWorkload())
    service.cluster.put(aWorkload({ namespace: 'bank' }))
  })

  after(async () => await service.stop())

  const challengeOf = async (bearer: string) => {
    const { status, headers } = await service.call('GET shop/deployments/web', { token: bearer })
    return status === 401 ? headers.get('www-authenticate') : status
  }

  it('a good one is accepted', async () => {
    expect(await challengeOf(await token())).to.equal(200)
  })

  it('a bad one is answered with the configured advice', async () => {
    const advice = 'paste the export lines of the sandbox again'
    const verify = localVerifier({ issuer: ISSUER, audience: AUDIENCE, publicKey, advice }, () => NOON)
    const bad = await token({ claims: { exp: seconds - 31 } })
    const told = await verify(bad).then(
      () => 'let in',
      ({ message }: Error) => message,
    )
    expect(told).to.equal(`the token has expired: ${advice}`)
  })

  it('a bad one is refused; the challenge says why, and the message also what to do', async () => {
    const bad = await service.call('GET shop/deployments/web', { token: await token({ claims: { exp: 1 } }) })
    expect(bad.headers.get('www-authenticate')).to.equal(
      'Bearer realm="dormouse", error="invalid_token", error_description="the token has expired"',
    )
    expect(bad.body.error.message).to.equal('the token has expired: get a new token')
  })

  for (const typ of [undefined, 'JWT', 'jwt', 'at+jwt', 'AT+JWT', 'application/at+jwt']) {
    it(`an access token is accepted: typ ${typ ?? 'absent'}`, async () => {
      expect(await challengeOf(await token({ header: typ === undefined ? {} : { typ } }))).to.equal(200)
    })
  }

  it('clocks may differ by 30 seconds', async () => {
    const claims = { iat: seconds + 29, nbf: seconds + 29 }
    expect(await challengeOf(await token({ claims }))).to.equal(200)
    expect(await challengeOf(await token({ claims: { exp: seconds - 29 } }))).to.equal(200)
  })

  it('without a token the challenge names no error', async () => {
    const { headers } = await service.call('GET shop/deployments/web', { token: null })
    expect(headers.get('www-authenticate')).to.equal('Bearer realm="dormouse"')
  })

  describe('and their rights', () => {
    const may = async (claims: object, request: string) => {
      const answer = await service.call(request, { token: await token({ claims: { ...claims } }) })
      return answer.code ?? answer.status
    }

    it('read needs dormouse:read, a write dormouse:write', async () => {
      expect(await may({ scope: 'dormouse:read' }, 'GET shop/deployments/web')).to.equal(200)
      expect(await may({ scope: 'openid dormouse:read' }, 'POST shop/deployments/web/enable')).to.equal(
        'FORBIDDEN',
      )
      expect(await may({ scope: 'dormouse:write' }, 'POST shop/deployments/web/enable?dryRun=true')).to.equal(
        200,
      )
      expect(await may({ scope: 'dormouse:write' }, 'GET shop/deployments')).to.equal('FORBIDDEN')
      expect(await may({ scope: 'dormouse:readwrite' }, 'GET /api/v1/workloads')).to.equal('FORBIDDEN')
      expect(await may({ scope: ['dormouse:read'] }, 'GET shop/deployments/web')).to.equal('FORBIDDEN')
      expect(await may({ scp: 'openid dormouse:read' }, 'GET shop/deployments/web')).to.equal(200)
      expect(await may({ scp: ['dormouse:read', 7] }, 'GET shop/deployments/web')).to.equal(200)
      expect(await may({ scope: '', scp: 'dormouse:read' }, 'GET shop/deployments/web')).to.equal('FORBIDDEN')
    })

    it('a lacking scope is named in the challenge', async () => {
      const { headers } = await service.call('GET shop/deployments', {
        token: await token({ claims: { scope: '' } }),
      })
      expect(headers.get('www-authenticate')).to.equal(
        'Bearer realm="dormouse", error="insufficient_scope", scope="dormouse:read"',
      )
    })

    it('the claim names the namespaces exactly; without it there are none', async () => {
      const of = (...names: unknown[]) => ({ 'dormouse.dev/namespaces': names })
      expect(await may(of('shop'), 'GET shop/deployments/web')).to.equal(200)
      expect(await may(of('shop'), 'GET bank/deployments/web')).to.equal('FORBIDDEN')
      expect(await may(of('sho*', 'SHOP', 7, null), 'GET shop/deployments/web')).to.equal('FORBIDDEN')
      expect(await may({ 'dormouse.dev/namespaces': undefined }, 'GET shop/deployments/web')).to.equal(
        'FORBIDDEN',
      )
      expect(await may({ 'dormouse.dev/namespaces': { '*': true } }, 'GET shop/deployments/web')).to.equal(
        'FORBIDDEN',
      )
      expect(await may({ 'dormouse.dev/namespaces': '*' }, 'GET shop/deployments/web')).to.equal(200)
    })

    it('a list of everything shows the namespaces of the claim', async () => {
      const bearer = await token({ claims: { 'dormouse.dev/namespaces': ['bank'] } })
      const { body } = await service.call('GET /api/v1/workloads', { token: bearer })
      expect(body.data.map(({ namespace }) => namespace)).to.deep.equal(['bank'])
    })

    it('a forbidden caller does not learn whether the workload or its namespace exists', async () => {
      expect(await may({ 'dormouse.dev/namespaces': [] }, 'GET shop/deployments/gone')).to.equal('FORBIDDEN')
      expect(await may({ 'dormouse.dev/namespaces': [] }, 'GET kube-system/deployments/dns')).to.equal(
        'FORBIDDEN',
      )
    })
  })

  describe('and their key', () => {
    const verifierOf = (pem: string) => () =>
      localVerifier({ issuer: ISSUER, audience: AUDIENCE, publicKey: pem }, () => NOON)
    const pem = (type: 'spki' | 'pkcs8', key: KeyObject) =>
      key.export({ type, format: 'pem' } as never).toString()

    it('must be the public half', () => {
      expect(verifierOf(pem('pkcs8', generateKeyPairSync('ed25519').privateKey))).to.throw(
        TypeError,
        'private key',
      )
    })

    it('must not be a short RSA key or one of an unknown curve', () => {
      const short = generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey
      expect(verifierOf(pem('spki', short))).to.throw(TypeError, 'RSA of at least 2048 bits')
      const curve = generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).publicKey
      expect(verifierOf(pem('spki', curve))).to.throw(TypeError, 'P-256')
    })

    it('decides the algorithm', async () => {
      const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
      const verify = verifierOf(pem('spki', publicKey))()
      expect(await verify(await token({ key: privateKey, header: { alg: 'ES256' } }))).to.include({
        subject: 'alice',
      })
    })
  })

  it('their subject is shown without invisible characters, in at most 128', () => {
    const known = {
      mode: 'local',
      issuer: ISSUER,
      scopes: new Set<string>(),
      namespaces: new Set<string>(),
    } as const
    expect(signature({ ...known, subject: 'a\nb\u202Ec\u0000\u2028d' })).to.equal('local:abcd')
    expect(signature({ ...known, subject: '😀'.repeat(200) })).to.equal(`local:${'😀'.repeat(122)}`)
  })
})
