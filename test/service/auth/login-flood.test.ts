import { generateKeyPairSync } from 'node:crypto'
import { expect } from 'chai'
import { aUser, aWorkload } from '../../support/fake-cluster.ts'
import { AUTH, ISSUER, Service, token } from '../api/service.ts'

const CLUSTER = 'https://kubernetes.default.svc.cluster.local'
const key = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
let serial = 0
/** A service account's token as the cluster makes it; each is another one. */
const clusterToken = async () =>
  await token({
    claims: { iss: CLUSTER, 'kubernetes.io': {}, jti: String((serial += 1)) },
    key,
    header: { alg: 'ES256', kid: 'cluster' },
  })

describe('during a flood of bad tokens', () => {
  let service: Service

  beforeEach(async () => {
    service = await Service.start({ auth: AUTH.cluster, trustedProxies: ['127.0.0.1'] })
    service.cluster.put(aWorkload())
  })
  afterEach(() => service.stop())

  const call = async (bearer: string, from = '192.0.2.1') =>
    await service.call('GET shop/deployments/web', { token: bearer, headers: { 'X-Forwarded-For': from } })
  const codesOf = async (bearers: readonly string[], from?: string) =>
    (await Promise.all(bearers.map((bearer) => call(bearer, from)))).map(({ status }) => status)
  const nonsense = (count: number) =>
    Array.from({ length: count }, (_, index) => `bad${(serial += 1)}-${index}`)
  const fresh = async () => {
    const bearer = await clusterToken()
    service.cluster.users.set(bearer, aUser('alice'))
    return bearer
  }

  it('a known good token of their address is let in', async () => {
    const known = await fresh()
    expect((await call(known)).status).to.equal(200)
    for (let round = 0; round < 3; round += 1) {
      await codesOf(nonsense(130))
      service.now += 10_001
      await codesOf(nonsense(130))
      expect((await call('one-more')).status).to.equal(429)
      expect((await call(known)).status).to.equal(200)
    }
  })

  it('a fresh good one is let in from another address, and from theirs a moment after', async () => {
    await codesOf(nonsense(130))
    const bearer = await fresh()
    expect((await call(bearer)).status).to.equal(429)
    expect((await call(bearer, '192.0.2.2')).status).to.equal(200)
    service.now += 1000
    expect((await call(await fresh())).status).to.equal(200)
  })

  it('good tokens are not counted, however many are new', async () => {
    for (let round = 0; round < 3; round += 1) {
      const bearers = await Promise.all(Array.from({ length: 60 }, fresh))
      expect(new Set(await codesOf(bearers))).to.deep.equal(new Set([200]))
    }
  })

  it('bad tokens cost the cluster at most 100 reviews at once and 10 a second', async () => {
    await codesOf(nonsense(200))
    expect(service.cluster.reviews).to.equal(100)
    service.now += 1000
    await codesOf(nonsense(200))
    expect(service.cluster.reviews).to.equal(110)
  })

  it('bad tokens of one IPv6 network count together, and not those of other clients of the same proxy', async () => {
    await codesOf(nonsense(130), '2001:db8:0:1::1')
    expect((await call('bad-1', '2001:db8:0:1:2:3:4:5')).status).to.equal(429)
    expect((await call('bad-2', '198.51.100.7, 2001:db8:0:1::9')).status, 'the left is hearsay').to.equal(429)
    expect((await call('bad-3', '2001:db8:0:2::1')).status).to.equal(401)
    expect((await call('bad-4', '::ffff:10.0.0.1')).status).to.equal(401)
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

  it('is refused with its issuer, shortened, and the trusted ones; one of some cluster with the way to get one', async () => {
    const iss = `${ISSUER}/`
    expect(
      await messageOf(await Service.start({ auth: AUTH.both }), await token({ claims: { iss } })),
    ).to.equal(
      `the token is of an issuer that is not trusted here: it is of "${iss}", ` +
        `and trusted are ${ISSUER}, the cluster; the names must be exactly equal, also a '/' at the end`,
    )
    const long = await messageOf(await Service.start(), await token({ claims: { iss: 'x'.repeat(500) } }))
    expect(long).to.include(`trusted are ${ISSUER};`)
    expect(long.length).to.be.below(300)
    expect(await messageOf(await Service.start({ auth: AUTH.both }), await clusterToken())).to.match(
      /^the cluster does not accept the token: get one by kubectl create token/,
    )
  })
})
