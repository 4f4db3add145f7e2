import { expect } from 'chai'
import { retriedOverRate } from '../../src/client/cluster/pace.ts'
import { causeOf } from '../../src/domain/workload/explanation.ts'
import { ClusterRefusal } from '../../src/kubernetes/failures.ts'

const refusal = (reason: string, reason_code: string) =>
  new ClusterRefusal('CLUSTER_REJECTED', `patch: the cluster refused: ${reason}`, {
    status: 403,
    details: { causes: [causeOf({ reason, reason_code, reason_values: {}, remedy: null })] },
  })
const TOO_SOON = refusal('at most 20 requests a second, and 40 at once: slow down', 'rate_limited')

describe('a call that asks Dormouse for something', function () {
  this.timeout(180_000)

  it('is made again in a moment where it came too soon after others', async () => {
    const failures = [TOO_SOON, TOO_SOON]
    const done = await retriedOverRate(async () => {
      const failure = failures.shift()
      if (failure) throw failure
      return 'done'
    })
    expect(done).to.equal('done')
    expect(failures).to.have.length(0)
  })

  it('is made once where anything else was refused', async () => {
    let calls = 0
    const pinned = refusal('is pinned', 'pinned')
    let failure: unknown
    await retriedOverRate(async () => {
      calls += 1
      throw pinned
    }).catch((error: unknown) => (failure = error))
    expect([calls, failure]).to.deep.equal([1, pinned])
  })
})
