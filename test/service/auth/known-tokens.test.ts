import { expect } from 'chai'
import type { Caller } from '../../../src/service/auth/caller.ts'
import { knownTokens } from '../../../src/service/auth/known-tokens.ts'
import { NOON, token } from '../api/service.ts'

const SECOND = 1000
const alice: Caller = {
  mode: 'local',
  issuer: 'https://dormouse.test',
  subject: 'alice',
  scopes: new Set(['dormouse:read']),
  namespaces: new Set(['*']),
}

describe('verified tokens', () => {
  let now: number
  const known = () => knownTokens(() => now)
  const verify = async () => alice
  const expiring = (after: number) => token({ claims: { exp: (NOON + after) / SECOND } })

  beforeEach(() => (now = NOON))

  it('are known by all of their characters for 10 s, unless our clock was set back, and then verified again', async () => {
    const tokens = known()
    const good = await token()
    expect(tokens.callerOf(good)).to.equal(undefined)
    expect(await tokens.remembering(verify)(good, '')).to.equal(alice)
    for (const other of [`${good}A`, good.slice(0, -1)]) expect(tokens.callerOf(other)).to.equal(undefined)
    now = NOON + 10 * SECOND - 1
    expect(tokens.callerOf(good)).to.equal(alice)
    now = NOON - 1
    expect(tokens.callerOf(good)).to.equal(undefined)
    now = NOON + 10 * SECOND
    expect(tokens.callerOf(good)).to.equal(undefined)
    await tokens.remembering(verify)(good, '')
    expect(tokens.callerOf(good)).to.equal(alice)
  })

  it('are not known for longer than the verification itself would accept them', async () => {
    const tokens = known()
    const ending = await expiring(-28 * SECOND)
    await tokens.remembering(verify)(ending, '')
    now += 2 * SECOND - 1
    expect(tokens.callerOf(ending)).to.equal(alice)
    now += 1
    expect(tokens.callerOf(ending)).to.equal(undefined)
  })

  it('are not known when they are refused', async () => {
    const tokens = known()
    const bad = await token()
    const refused = await tokens
      .remembering(() => Promise.reject(new Error('refused')))(bad, '')
      .catch((error: Error) => error.message)
    expect(refused).to.equal('refused')
    expect(tokens.callerOf(bad)).to.equal(undefined)
  })
})
