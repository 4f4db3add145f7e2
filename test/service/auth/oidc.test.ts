import type { KeyObject } from 'node:crypto'
import type { RequestListener } from 'node:http'
import { expect } from 'chai'
import { oidcVerifier } from '../../../src/service/auth/oidc.ts'
import type { Refusal } from '../../../src/process/errors.ts'
import { AUDIENCE, NOON, token } from '../api/service.ts'
import { OpenIdProvider, rsaKeys } from './openid-provider.ts'

const PROVIDER = 'https://login.test'
const NO_SUCH_KEY = 'a key that its issuer does not have'

describe('tokens of an OpenID provider', () => {
  const provider = new OpenIdProvider()
  const first = rsaKeys()
  let jwksUri: string
  let asked: number

  before(async () => {
    await provider.start()
    jwksUri = provider.url('/keys')
  })

  beforeEach(() => {
    asked = provider.fetches
    provider.publish({ kid: 'first', key: first.publicKey })
  })

  after(() => provider.stop())

  const fetches = () => provider.fetches - asked
  const verifier = (algorithms = ['RS256'], clock = () => NOON) =>
    oidcVerifier({ issuer: PROVIDER, audience: AUDIENCE, jwksUri, algorithms }, clock, () => NOON)
  const signed = (key: KeyObject = first.privateKey, kid: string | undefined = 'first', alg = 'RS256') =>
    token({ claims: { iss: PROVIDER }, key, header: { alg, ...(kid !== undefined && { kid }) } })
  /** jose's result so many milliseconds later. */
  const later = async (ms: number, act: () => Promise<unknown>) => {
    const now = Date.now
    Date.now = () => now() + ms
    try {
      await act()
    } finally {
      Date.now = now
    }
  }
  const faultOf = async (verified: Promise<unknown>): Promise<Refusal> =>
    await verified.then(
      () => expect.fail('accepted'),
      (error: Refusal) => error,
    )

  it('share one fetch of the keys', async () => {
    const verify = verifier()
    const bearer = await signed()
    await Promise.all([verify(bearer), verify(bearer), verify(bearer)])
    expect(fetches()).to.equal(1)
  })

  it('are accepted by a new key although a clock that was ahead has fetched the former keys', async () => {
    let ahead = 0
    const verify = verifier(['RS256'], () => NOON + ahead)
    const second = rsaKeys()
    ahead = 365 * 24 * 3_600_000
    await later(ahead, async () =>
      expect((await faultOf(verify(await signed()))).message).to.include('expired'),
    )
    ahead = 0
    provider.publish({ kid: 'second', key: second.publicKey })
    await verify(await signed(second.privateKey, 'second'))
    expect(fetches()).to.equal(2)
  })

  it('are refused once their key was taken out of use, when a token of a new key has told of it', async () => {
    const verify = verifier()
    const former = await signed()
    const second = rsaKeys()
    const fresh = await signed(second.privateKey, 'second')
    await verify(former)
    provider.publish({ kid: 'second', key: second.publicKey })
    // jose asks for unknown keys again after 30 s
    await later(30_001, () => verify(fresh))
    expect((await faultOf(verify(former))).message).to.include(NO_SUCH_KEY)
    expect(fetches()).to.equal(2)
  })

  it('are refused ten minutes after their key was taken out of use at the latest', async () => {
    const verify = verifier()
    const former = await signed()
    await verify(former)
    provider.publish({ kid: 'second', key: rsaKeys().publicKey })
    await later(540_000, () => verify(former))
    await later(600_001, async () => expect((await faultOf(verify(former))).message).to.include(NO_SUCH_KEY))
  })

  it('are accepted only with a configured algorithm', async () => {
    expect((await faultOf(verifier(['ES256'])(await signed()))).message).to.include('not allowed')
  })

  const bad: [name: string, answer: RequestListener][] = [
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
      provider.answer = answer
      expect((await faultOf(verifier()(await signed()))).code).to.equal('CLUSTER_UNAVAILABLE')
    })
  }

  it('cause no other fetch within 2 s of a failed one', async () => {
    provider.answer = (_request, response) => response.writeHead(500).end()
    const verify = verifier()
    const bearer = await signed()
    for (let index = 0; index < 5; index += 1) await faultOf(verify(bearer))
    expect(fetches()).to.equal(1)
  })
})
