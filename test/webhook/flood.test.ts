import { expect } from 'chai'
import { keyOf } from '../../src/domain/workload.ts'
import { aDeployment } from '../support/workloads.ts'
import { Reviewing, scaling } from './reviewing.ts'

const MIB = 1024 * 1024
const FORGERS = 8
const REAL = 50
const pinned = aDeployment('shop/web').withReplicas(3).enabled().pinned()

/** `bench/webhook-flood.ts` has the figures of the whole program; this is its short version. */
describe('a flood of forged reviews of the largest size', () => {
  let here: Reviewing

  beforeEach(async () => {
    here = new Reviewing()
    here.copies.set(keyOf(pinned), pinned)
    await here.start()
  })

  afterEach(() => here.stop())

  it('fails no real one, and is refused', async function () {
    this.timeout(60_000)
    const labels = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`l${index}`, '']))
    const object = { metadata: { name: 'web', namespace: 'shop', labels } }
    const labelled = { ...scaling(pinned, 5), subResource: '', object, oldObject: object }
    const bodies = [
      JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request: labelled }),
      `[${Array.from({ length: 2.5 * MIB }, () => '{}').join(',')}]`,
    ]
    const over = new AbortController()
    const allowed = new Set<boolean>()
    const forge = async (index: number) => {
      while (!over.signal.aborted) {
        const { answer } = await here.post('/webhook/workloads', bodies[index % 2] ?? '')
        allowed.add(answer.response.allowed)
      }
    }
    const forgers = Array.from({ length: FORGERS }, (_, index) => forge(index))
    for (let asked = 0; asked < REAL; asked++) {
      const { allowed: passes, status } = await here.review('/webhook/scale', scaling(pinned, 5))
      expect([passes, status?.code]).to.deep.equal([false, 403])
    }
    over.abort()
    await Promise.all(forgers)
    expect([...allowed]).to.deep.equal([false])
  })
})
