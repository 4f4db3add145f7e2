import { expect } from 'chai'
import { Refusal } from '../../src/process/errors.ts'
import { Identity } from '../../src/kubernetes/identity.ts'
import { createLogger } from '../../src/process/logger.ts'

const NOW = async () => {}
const me = { status: { userInfo: { username: 'system:serviceaccount:dormouse:dormouse' } } }

/** A cluster that gives these answers in turn, the last one for ever. */
function identityWith(...answers: (object | Error)[]) {
  let asked = 0
  const call = async <T>(): Promise<T> => {
    const answer = answers[Math.min(asked++, answers.length - 1)]
    if (answer instanceof Error) throw answer
    return answer as T
  }
  const identity = new Identity({ call }, createLogger('silent'), NOW)
  return { identity, asked: () => asked }
}

describe('the identity', () => {
  it('is our username in the cluster', async () => {
    const { identity } = identityWith(me)
    expect(identity.user).to.equal(undefined)
    await identity.start()
    expect(identity.user).to.equal('system:serviceaccount:dormouse:dormouse')
  })

  const away = new Refusal('CLUSTER_UNAVAILABLE', 'away')
  for (const [what, answers] of Object.entries({
    'the cluster does not answer': [away, away],
    'the cluster refuses, or answers without a username': [new Refusal('CLUSTER_REJECTED', 'no'), {}],
  }))
    it(`is asked for again while ${what}`, async () => {
      const { identity, asked } = identityWith(...answers, me)
      await identity.start()
      expect([identity.user, asked()]).to.deep.equal(['system:serviceaccount:dormouse:dormouse', 3])
    })

  it('is no longer asked for once it is stopped', async () => {
    const { identity } = identityWith(away)
    await identity.stop()
    const outcome = await identity.start().then(
      () => 'started',
      (error: Error) => error.name,
    )
    expect(outcome).to.equal('AbortError')
  })
})
