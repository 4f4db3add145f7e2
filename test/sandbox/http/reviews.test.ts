import { expect } from 'chai'
import { freshSandbox } from '../cluster.ts'

const TOKEN_REVIEWS = '/apis/authentication.k8s.io/v1/tokenreviews'
const ACCOUNT = '/api/v1/namespaces/default/serviceaccounts/default'

describe('sandbox API: tokens and reviews', () => {
  let now = Date.UTC(2026, 0, 1)
  const here = freshSandbox({ clock: () => now })
  const { client } = here

  beforeEach(() => {
    now = Date.UTC(2026, 0, 1)
  })

  const tokenFor = async (audiences: string[]): Promise<unknown> => {
    const { body } = await client.post(`${ACCOUNT}/token`, { spec: { audiences, expirationSeconds: 600 } })
    return body.status?.['token']
  }

  const review = async (spec: object) => (await client.post(TOKEN_REVIEWS, { spec })).body.status

  it('resolve a requested token to its service account and audience', async () => {
    const token = await tokenFor(['dormouse'])
    const status = await review({ token, audiences: ['dormouse', 'other'] })
    expect(status).to.deep.include({ authenticated: true, audiences: ['dormouse'] })
    expect(status?.['user']).to.deep.include({
      username: 'system:serviceaccount:default:default',
      groups: ['system:serviceaccounts', 'system:serviceaccounts:default', 'system:authenticated'],
      uid: (await client.get(ACCOUNT)).body.metadata.uid,
    })
  })

  it('refuse a token for another audience, an expired one, a made-up one and one whose account is gone', async () => {
    const token = await tokenFor(['dormouse'])
    const audiences = ['dormouse']
    expect(await review({ token, audiences: ['other'] })).not.to.have.property('authenticated')
    expect(await review({ token })).not.to.have.property('authenticated')
    expect(await review({ token: `${String(token)}x`, audiences })).not.to.have.property('authenticated')
    now += 601_000
    expect(await review({ token, audiences })).not.to.have.property('authenticated')
    now -= 601_000
    expect(await review({ token, audiences })).to.include({ authenticated: true })
    await client.delete(ACCOUNT)
    expect(await review({ token, audiences })).not.to.have.property('authenticated')
  })

  it('let a token speak to the API itself only if it is meant for it', async () => {
    const whoami = async (token: unknown) =>
      client
        .as({ authorization: `Bearer ${String(token)}` })
        .post('/apis/authentication.k8s.io/v1/selfsubjectreviews', {})
    expect((await whoami(await tokenFor(['dormouse']))).status).to.equal(401)
    const { body } = await whoami(await tokenFor([]))
    expect(JSON.stringify(body.status)).to.contain('system:serviceaccount:default:default')
  })

  it('know whom a request impersonates', async () => {
    const alice = client.as({
      'impersonate-user': 'alice',
      'impersonate-group': ['dev', 'ops'],
      'impersonate-uid': '7',
      'impersonate-extra-team%2Fname': 'shop',
    })
    const { body } = await alice.post('/apis/authentication.k8s.io/v1/selfsubjectreviews', {})
    expect(body.status?.['userInfo']).to.deep.equal({
      username: 'alice',
      uid: '7',
      groups: ['dev', 'ops', 'system:authenticated'],
      extra: { 'team/name': ['shop'] },
    })
  })

  it('allow everything', async () => {
    const path = '/apis/authorization.k8s.io/v1/subjectaccessreviews'
    const ask = async (verb: string) => {
      const resourceAttributes = { verb, group: 'apps', resource: 'deployments', namespace: 'default' }
      const { body } = await client.post(path, { spec: { user: 'alice', resourceAttributes } })
      return body.status?.['allowed']
    }
    expect(await ask('patch')).to.equal(true)
  })
})
