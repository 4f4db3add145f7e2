import { expect } from 'chai'
import { freshSandbox } from '../cluster.ts'

describe('sandbox API: reviews', () => {
  const { client } = freshSandbox()

  it('accept no token, and neither does the API: the sandbox issues none', async () => {
    const { body } = await client.post('/apis/authentication.k8s.io/v1/tokenreviews', {
      spec: { token: 'x' },
    })
    expect(body.status).not.to.have.property('authenticated')
    expect((await client.as({ authorization: 'Bearer x' }).get('/api/v1/namespaces')).status).to.equal(401)
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
