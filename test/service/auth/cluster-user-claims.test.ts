import { expect } from 'chai'
import { userByClaims } from '../../../src/service/auth/cluster-user-claims.ts'

const PROVIDER = 'https://login.test'
const BY_EMAIL = { usernameClaim: 'email', groupsClaim: 'groups', prefix: 'oidc:' }
const BY_SUB = { usernameClaim: 'sub', groupsClaim: null, prefix: '' }

describe('people of an OpenID provider as users of the cluster', () => {
  const faultOf = (...args: Parameters<typeof userByClaims>): string => {
    try {
      userByClaims(...args)
    } catch (error) {
      return (error as Error).message
    }
    return 'accepted'
  }

  it('are named by a claim and have the groups of another, with the prefix before both', () => {
    const { user, subject, issuer } = userByClaims(BY_EMAIL, PROVIDER, {
      email: 'alice@example.com',
      email_verified: true,
      groups: ['developers', 'on-call'],
    })
    expect(user.username).to.equal('oidc:alice@example.com')
    expect(user.groups).to.deep.equal(['oidc:developers', 'oidc:on-call', 'system:authenticated'])
    expect([subject, issuer]).to.deep.equal(['oidc:alice@example.com', PROVIDER])
  })

  it('may have one group, or none', () => {
    const groups = (value: unknown) =>
      userByClaims({ ...BY_EMAIL, usernameClaim: 'sub' }, PROVIDER, { sub: 'a', groups: value }).user.groups
    expect(groups('one')).to.deep.equal(['oidc:one', 'system:authenticated'])
    expect(groups(undefined)).to.deep.equal(['system:authenticated'])
    expect(userByClaims(BY_SUB, PROVIDER, { sub: 'a', groups: ['x'] }).user.groups).to.deep.equal([
      'system:authenticated',
    ])
  })

  const groupsToo = { ...BY_SUB, groupsClaim: 'groups' }
  const NO_NAME = /^the claim sub is not a name/
  const NO_LIST = /is not a list of names/
  const sub = 'alice'

  it('are refused by an email that is not verified', () => {
    for (const verified of [undefined, false, 'true', 1]) {
      const claims = {
        email: 'alice@example.com',
        ...(verified !== undefined && { email_verified: verified }),
      }
      expect(faultOf(BY_EMAIL, PROVIDER, claims), String(verified)).to.match(
        /^the claim email counts only with email_verified true/,
      )
    }
  })

  for (const [settings, claims] of [
    [BY_SUB, { sub: 'system:admin' }],
    [{ ...BY_SUB, prefix: 'oidc:' }, { sub: 'system:admin' }],
    [{ ...BY_SUB, prefix: 'sys' }, { sub: 'tem:admin' }],
    [groupsToo, { sub, groups: ['developers', 'system:masters'] }],
    [
      { ...groupsToo, prefix: 'system' },
      { sub, groups: ':masters' },
    ],
  ] as const)
    it(`are refused by a name that only the cluster gives: ${JSON.stringify(claims)} behind ${JSON.stringify(settings.prefix)}`, () => {
      expect(faultOf(settings, PROVIDER, claims)).to.match(
        /begins with system:, which only the cluster gives/,
      )
    })

  for (const [told, settings, ...refused] of [
    [NO_NAME, BY_SUB, {}, { sub: '' }, { sub: 5 }, { sub: null }, { sub: [sub] }, { sub: 'a'.repeat(513) }],
    [NO_NAME, BY_SUB, { sub: ' ' }, { sub: 'al\u200Bice' }, { sub: 'alice\n' }],
    [NO_LIST, groupsToo, { sub, groups: 5 }, { sub, groups: {} }, { sub, groups: null }],
    [NO_LIST, groupsToo, { sub, groups: [5] }, { sub, groups: [''] }, { sub, groups: [['a']] }],
  ] as const)
    for (const claims of refused)
      it(`are refused by ${JSON.stringify(claims).slice(0, 60)} behind "${settings.prefix}": ${told.source}`, () => {
        expect(faultOf(settings, PROVIDER, claims as never)).to.match(told)
      })
})
