import { expect } from 'chai'
import { userByClaims } from '../../../../src/service/api/auth/cluster-user-claims.ts'

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

  for (const verified of [undefined, false, 'true', 1])
    it(`are refused by an email that is not verified: ${JSON.stringify(verified)}`, () => {
      const claims = {
        email: 'alice@example.com',
        ...(verified !== undefined && { email_verified: verified }),
      }
      expect(faultOf(BY_EMAIL, PROVIDER, claims)).to.match(
        /^the claim email counts only with email_verified true/,
      )
    })

  for (const [settings, claims] of [
    [BY_SUB, { sub: 'system:admin' }],
    [{ ...BY_SUB, prefix: 'oidc:' }, { sub: 'system:admin' }],
    [{ ...BY_SUB, prefix: 'sys' }, { sub: 'tem:admin' }],
    [
      { ...BY_SUB, groupsClaim: 'groups' },
      { sub: 'alice', groups: ['developers', 'system:masters'] },
    ],
    [
      { ...BY_SUB, groupsClaim: 'groups', prefix: 'system' },
      { sub: 'alice', groups: ':masters' },
    ],
  ] as const)
    it(`are refused by a name that only the cluster gives: ${JSON.stringify(claims)} behind ${JSON.stringify(settings.prefix)}`, () => {
      expect(faultOf(settings, PROVIDER, claims)).to.match(
        /begins with system:, which only the cluster gives/,
      )
    })

  for (const name of [
    undefined,
    '',
    5,
    null,
    ['alice'],
    { name: 'alice' },
    'a'.repeat(513),
    ' ',
    'al\u200Bice',
    'alice\n',
  ])
    it(`are refused by a claim that is not a name: ${JSON.stringify(name)?.slice(0, 20)}`, () => {
      expect(faultOf(BY_SUB, PROVIDER, { sub: name } as never)).to.match(/^the claim sub is not a name/)
    })

  for (const groups of [5, {}, [5], [''], [['a']], null])
    it(`are refused by groups that are not names: ${JSON.stringify(groups)}`, () => {
      expect(faultOf({ ...BY_SUB, groupsClaim: 'groups' }, PROVIDER, { sub: 'a', groups })).to.match(
        /is not a list of names/,
      )
    })
})
