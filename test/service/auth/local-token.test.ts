import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { expect } from 'chai'
import { localVerifier } from '../../../src/service/auth/local-token.ts'
import { signature } from '../../../src/service/auth/caller.ts'
import { aWorkload } from '../../support/fake-cluster.ts'
import { AUDIENCE, ISSUER, NOON, publicKey, Service, token } from '../api/service.ts'

const seconds = NOON / 1000

/** All that is refused is in token-table.test.ts, on a real cluster. */
describe('local tokens', () => {
  let service: Service

  before(async () => {
    service = await Service.start()
    service.cluster.put(aWorkload())
    service.cluster.put(aWorkload({ namespace: 'bank' }))
  })
  after(() => service.stop())

  const challengeOf = async (bearer: string) => {
    const { status, headers } = await service.call('GET shop/deployments/web', { token: bearer })
    return status === 401 ? headers.get('www-authenticate') : status
  }

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

  for (const typ of [undefined, 'JWT', 'jwt', 'at+jwt', 'AT+JWT', 'application/at+jwt']) {
    it(`an access token is accepted: typ ${typ ?? 'absent'}`, async () => {
      expect(await challengeOf(await token({ header: typ === undefined ? {} : { typ } }))).to.equal(200)
    })
  }

  it('the audience is compared whole: one that begins as ours is another', async () => {
    for (const aud of ['dormouse-admin', ['dormouse-admin'], 'dorm'])
      expect(await challengeOf(await token({ claims: { aud } })), String(aud)).to.include('another audience')
  })

  it('clocks may differ by 30 seconds', async () => {
    const claims = { iat: seconds + 29, nbf: seconds + 29 }
    expect(await challengeOf(await token({ claims }))).to.equal(200)
    expect(await challengeOf(await token({ claims: { exp: seconds - 29 } }))).to.equal(200)
  })

  describe('and their rights', () => {
    const of = (...names: unknown[]) => ({ 'dormouse.dev/namespaces': names })
    const [READ, WRITE] = ['GET shop/deployments/web', 'POST shop/deployments/web/enable?dryRun=true']
    for (const [what, claims, request, expected] of [
      ['a scope to read', { scope: 'openid dormouse:read' }, READ, 200],
      ['a scope to read', { scope: 'openid dormouse:read' }, WRITE, 'FORBIDDEN'],
      ['a scope to write', { scope: 'dormouse:write' }, WRITE, 200],
      ['a scope to write', { scope: 'dormouse:write' }, READ, 'FORBIDDEN'],
      ['a longer scope', { scope: 'dormouse:readwrite' }, 'GET /api/v1/workloads', 'FORBIDDEN'],
      ['a list of scopes, which is no text', { scope: ['dormouse:read'] }, READ, 'FORBIDDEN'],
      ['the scopes of scp', { scp: 'openid dormouse:read', scope: undefined }, READ, 200],
      ['a list of scopes in scp', { scp: ['dormouse:read', 7], scope: undefined }, READ, 200],
      ['an empty scope beside scp', { scope: '', scp: 'dormouse:read' }, READ, 'FORBIDDEN'],
      ['the namespace', of('shop'), READ, 200],
      ['all namespaces as a text', { 'dormouse.dev/namespaces': '*' }, READ, 200],
      ['another namespace', of('bank'), READ, 'FORBIDDEN'],
      ['names that are not exact', of('sho*', 'SHOP', 7, null), READ, 'FORBIDDEN'],
      ['no claim of namespaces', { 'dormouse.dev/namespaces': undefined }, READ, 'FORBIDDEN'],
      ['a claim that is no list', { 'dormouse.dev/namespaces': { '*': true } }, READ, 'FORBIDDEN'],
    ] as const)
      it(`by ${what}: ${request} is ${expected}`, async () => {
        const { code, status } = await service.call(request, {
          token: await token({ claims: { ...claims } }),
        })
        expect(code ?? status).to.equal(expected)
      })

    it('a forbidden caller does not learn whether the workload or its namespace exists', async () => {
      const bearer = await token({ claims: of() })
      for (const request of [READ, 'GET shop/deployments/gone', 'GET kube-system/deployments/dns'])
        expect((await service.call(request, { token: bearer })).code, request).to.equal('FORBIDDEN')
    })

    it('a lacking scope is named in the challenge, which names no error where there is no token', async () => {
      const challenge = async (bearer: string | null) =>
        (await service.call(READ, { token: bearer })).headers.get('www-authenticate')
      expect(await challenge(await token({ claims: { scope: '' } }))).to.equal(
        'Bearer realm="dormouse", error="insufficient_scope", scope="dormouse:read"',
      )
      expect(await challenge(null)).to.equal('Bearer realm="dormouse"')
    })

    it('a list of everything shows the namespaces of the claim', async () => {
      const { body } = await service.call('GET /api/v1/workloads', {
        token: await token({ claims: of('bank') }),
      })
      expect(body.data.map(({ namespace }) => namespace)).to.deep.equal(['bank'])
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
