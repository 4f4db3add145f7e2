import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { expect } from 'chai'
import { exportJWK } from 'jose'
import { aUser, aWorkload } from '../fake-cluster.ts'
import { AUDIENCE, ISSUER, NOON, publicKey, Service, token } from '../service.ts'

const CLUSTER = 'https://kubernetes.default.svc.cluster.local'
const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const others = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const auth = { kubernetes: { enabled: true, audiences: [AUDIENCE] }, oidc: [], local: null }

let serial = 0
/** A service account's token as the cluster makes it; each is another one. */
const clusterToken = async (key: KeyObject = keys.privateKey, claims: object = {}) =>
  await token({
    claims: { iss: CLUSTER, 'kubernetes.io': {}, jti: String((serial += 1)), ...claims },
    key,
    header: { alg: 'ES256', kid: 'cluster' },
  })

describe('during a flood of bad tokens', () => {
  let service: Service
  let fetches: number

  const start = async (showsKeys: boolean) => {
    service = await Service.start({ auth, trustedProxies: ['127.0.0.1'] })
    service.cluster.put(aWorkload())
    fetches = 0
    service.cluster.showKeys = async () => {
      fetches += 1
      if (!showsKeys) throw new Error('forbidden')
      return { keys: [{ ...(await exportJWK(keys.publicKey)), kid: 'cluster', alg: 'ES256', use: 'sig' }] }
    }
  }

  afterEach(async () => await service.stop())

  const call = async (bearer: string, from = '192.0.2.1') =>
    await service.call('GET shop/deployments/web', { token: bearer, headers: { 'X-Forwarded-For': from } })
  const codesOf = async (bearers: readonly string[], from?: string) =>
    (await Promise.all(bearers.map((bearer) => call(bearer, from)))).map(({ status }) => status)
  const nonsense = (count: number) =>
    Array.from({ length: count }, (_, index) => `bad${(serial += 1)}-${index}`)
  const forged = async (count: number) =>
    await Promise.all(Array.from({ length: count }, () => clusterToken(others.privateKey)))
  const fresh = async () => {
    const bearer = await clusterToken()
    service.cluster.users.set(bearer, aUser('alice'))
    return bearer
  }

  for (const showsKeys of [true, false]) {
    const cluster = showsKeys ? 'shows' : 'does not show'
    it(`a fresh good token of their address is let in, 100 bad ones every 10 s, where the cluster ${cluster} its keys`, async () => {
      await start(showsKeys)
      for (let round = 0; round < 3; round += 1) {
        await codesOf(nonsense(130))
        expect((await call('one-more')).status).to.equal(429)
        expect((await call(await fresh())).status).to.equal(200)
        service.now += 10_000
      }
    })
  }

  it('forged tokens do not lock out a fresh good one if the cluster shows its keys', async () => {
    await start(true)
    const codes = await codesOf(await forged(150))
    expect(codes.filter((code) => code === 429)).to.have.length(50)
    expect((await call(await fresh())).status).to.equal(200)
    expect(fetches).to.equal(1)
  })

  it('forged tokens do not lock out a known good one if the cluster does not', async () => {
    await start(false)
    const known = await fresh()
    expect((await call(known)).status).to.equal(200)
    await codesOf(await forged(150))
    service.now += 10_001
    await codesOf(await forged(150))
    expect((await call(known)).status).to.equal(200)
    expect(fetches, 'asked for its keys while it refuses them').to.equal(1)
  })

  it('what is proven to be the cluster\u2019s is still for the cluster to accept', async () => {
    await start(true)
    const withdrawn = await clusterToken()
    expect((await call(withdrawn)).status).to.equal(401)
  })

  it('bad tokens of any kind cost the cluster at most 100 reviews at once and 10 a second', async () => {
    await start(true)
    const expired = await clusterToken(keys.privateKey, { exp: NOON / 1000 - 60 })
    await codesOf([...nonsense(200), ...(await forged(200)), expired])
    expect(service.cluster.reviews).to.be.at.most(200)
    service.now += 1000
    await codesOf([...nonsense(200), ...(await forged(200))])
    expect(service.cluster.reviews).to.be.at.most(220)
  })

  it('other clients behind the same trusted proxy are not limited', async () => {
    await start(false)
    await codesOf(nonsense(130), '192.0.2.1')
    expect((await call('bad-1', '192.0.2.1')).status).to.equal(429)
    expect((await call('bad-2', '192.0.2.2')).status).to.equal(401)
    expect((await call('bad-3', '198.51.100.7, 192.0.2.1')).status, 'the left of it is hearsay').to.equal(429)
  })
})

describe('a token of an issuer that is not trusted', () => {
  const messageOf = async (service: Service, bearer: string) => {
    try {
      return (await service.call('GET shop/deployments/web', { token: bearer })).body.error.message
    } finally {
      await service.stop()
    }
  }
  const local = { issuer: ISSUER, audience: AUDIENCE, publicKey }

  it('is refused with its issuer and the trusted ones, the cluster included', async () => {
    const service = await Service.start({ auth: { ...auth, local } })
    const message = await messageOf(service, await token({ claims: { iss: `${ISSUER}/` } }))
    expect(message).to.equal(
      `the token is of an issuer that is not trusted here: it is of "${ISSUER}/", ` +
        `and trusted are ${ISSUER}, the cluster; the names must be exactly equal, also a '/' at the end`,
    )
  })

  it('is refused with the trusted issuers if tokens of the cluster are not accepted', async () => {
    const message = await messageOf(await Service.start(), await token({ claims: { iss: 'x'.repeat(500) } }))
    expect(message).to.include(`trusted are ${ISSUER};`)
    expect(message.length).to.be.below(300)
  })

  it('is refused with the way to get one if some cluster made it', async () => {
    const service = await Service.start({ auth: { ...auth, local } })
    expect(await messageOf(service, await clusterToken())).to.match(
      /^the cluster does not accept the token: get one by kubectl create token/,
    )
  })
})
