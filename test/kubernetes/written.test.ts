import { expect } from 'chai'
import { carries } from '../../src/kubernetes/written.ts'
import { workload } from './objects.ts'

describe('a patch whose answer was lost', () => {
  const sentFor = workload('web', { resourceVersion: '10', replicas: 3 })
  const change = { annotations: {}, replicas: 0 }

  it('was applied where the object is newer and as the change makes it', () => {
    expect(carries(workload('web', { resourceVersion: '11', replicas: 0 }), sentFor, change)).to.equal(true)
  })

  it('was not applied to what has not changed since, nor to another object of the name', () => {
    const same = workload('web', { resourceVersion: '10', replicas: 0 })
    const another = workload('web', { uid: 'another', resourceVersion: '11', replicas: 0 })
    expect([carries(same, sentFor, change), carries(another, sentFor, change)]).to.deep.equal([false, false])
  })
})
