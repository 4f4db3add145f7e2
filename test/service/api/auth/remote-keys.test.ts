import { generateKeyPairSync } from 'node:crypto'
import { expect } from 'chai'
import { customFetch } from 'jose'
import { remoteKeys } from '../../../../src/service/api/auth/remote-keys.ts'

const YEAR = 365 * 24 * 3_600_000

describe('keys that jose fetches', () => {
  const dateNow = Date.now
  let ahead = 0
  let published: object[]

  before(() => {
    Date.now = () => dateNow() + ahead
  })

  after(() => {
    Date.now = dateNow
  })

  const keyNamed = (kid: string) => {
    const { publicKey } = generateKeyPairSync('ed25519')
    return { ...publicKey.export({ format: 'jwk' }), kid, alg: 'EdDSA' }
  }

  it('are fetched again although a clock that was ahead has fetched them', async () => {
    const options = { [customFetch]: async () => Response.json({ keys: published }) }
    const keys = remoteKeys(new URL('https://issuer.example/keys'), options, () => Date.now())
    const find = async (kid: string) => keys({ alg: 'EdDSA', kid }, { payload: '', signature: '' })
    published = [keyNamed('first')]
    ahead = YEAR
    expect(await find('first')).to.include({ type: 'public' })
    ahead = 0
    published = [keyNamed('second')]
    expect(await find('second')).to.include({ type: 'public' })
    const refusal = await find('third').catch((error: Error) => error.name)
    expect(refusal, 'not again for each unknown key').to.equal('JWKSNoMatchingKey')
  })
})
