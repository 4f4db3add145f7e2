import { expect } from 'chai'
import type { Call } from '../../src/kubernetes/api-calls.ts'
import { AccessReviews } from '../../src/kubernetes/reviews.ts'

const ALICE = { username: 'alice', uid: 'u1', groups: ['dev'], extra: { scopes: ['a'] } }

function answering(status: object) {
  const asked: Call[] = []
  const call = async <Answer>(made: Call): Promise<Answer> => {
    asked.push(made)
    return { status } as Answer
  }
  return { reviews: new AccessReviews({ call }), asked }
}

describe('a TokenReview', () => {
  it('says whose token it is', async () => {
    const { reviews, asked } = answering({ authenticated: true, audiences: ['dormouse'], user: ALICE })
    expect(await reviews.authenticate('secret', ['dormouse'])).to.deep.equal(ALICE)
    expect(asked[0]).to.deep.include({
      method: 'POST',
      resource: 'tokenreviews',
      path: '/apis/authentication.k8s.io/v1/tokenreviews',
    })
    expect(asked[0]?.body).to.deep.include({ spec: { token: 'secret', audiences: ['dormouse'] } })
  })

  it('fills in the fields that a user lacks', async () => {
    const { reviews } = answering({ authenticated: true, audiences: ['dormouse'], user: { username: 'bob' } })
    const bob = { username: 'bob', uid: '', groups: [], extra: {} }
    expect(await reviews.authenticate('secret', ['dormouse'])).to.deep.equal(bob)
  })

  const invalid: Record<string, object> = {
    'is not authenticated': { authenticated: false, audiences: ['dormouse'], user: ALICE },
    'is for another audience': { authenticated: true, audiences: ['other'], user: ALICE },
    'says no audience': { authenticated: true, user: ALICE },
    'names no user': { authenticated: true, audiences: ['dormouse'], user: {} },
    'has no status': {},
  }
  for (const [why, status] of Object.entries(invalid)) {
    it(`refuses a token that ${why}`, async () => {
      expect(await answering(status).reviews.authenticate('secret', ['dormouse'])).to.equal(undefined)
    })
  }
})

describe('a SubjectAccessReview', () => {
  const access = {
    group: 'apps',
    verb: 'update',
    resource: 'deployments',
    subresource: 'scale',
    namespace: 'shop',
  } as const

  it('sends all fields of the user', async () => {
    const { reviews, asked } = answering({ allowed: true })
    expect(await reviews.authorize(ALICE, access)).to.equal(true)
    expect(asked[0]?.path).to.equal('/apis/authorization.k8s.io/v1/subjectaccessreviews')
    expect(asked[0]?.body).to.deep.include({
      spec: {
        user: 'alice',
        uid: 'u1',
        groups: ['dev'],
        extra: { scopes: ['a'] },
        resourceAttributes: access,
      },
    })
  })

  it('allows only what the cluster explicitly allows', async () => {
    for (const status of [{}, { allowed: false }, { allowed: true, denied: true }]) {
      expect(await answering(status).reviews.authorize(ALICE, access)).to.equal(false)
    }
  })
})
