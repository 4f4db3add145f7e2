import { expect } from 'chai'
import { Refusal } from '../../src/service/process/errors.ts'
import { Identity } from '../../src/kubernetes/identity.ts'
import { createLogger } from '../../src/service/process/logger.ts'

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

  it('is asked for until the cluster answers', async () => {
    const away = new Refusal('CLUSTER_UNAVAILABLE', 'away')
    const { identity, asked } = identityWith(away, away, me)
    await identity.start()
    expect([identity.user, asked()]).to.deep.equal(['system:serviceaccount:dormouse:dormouse', 3])
  })

  it('is asked for again where the cluster refuses, or answers without a username', async () => {
    const { identity, asked } = identityWith(new Refusal('CLUSTER_REJECTED', 'no'), {}, me)
    await identity.start()
    expect([identity.user, asked()]).to.deep.equal(['system:serviceaccount:dormouse:dormouse', 3])
  })

  it('is no longer asked for once it is stopped', async () => {
    const { identity } = identityWith(new Refusal('CLUSTER_UNAVAILABLE', 'away'))
    await identity.stop()
    const outcome = await identity.start().then(
      () => 'started',
      (error: Error) => error.name,
    )
    expect(outcome).to.equal('AbortError')
  })
})
