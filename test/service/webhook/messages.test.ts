import { expect } from 'chai'
import { keyOf } from '../../../src/domain/workload/workload.ts'
import { Refusal } from '../../../src/service/process/errors.ts'
import { changing, scaling } from '../../support/reviews.ts'
import { aDeployment } from '../../support/workloads.ts'
import { Reviewing } from './reviewing.ts'

const NAMESPACE = `n${'-'.repeat(60)}ns`
const NAME = `w${'.w'.repeat(126)}`

describe('what the webhook itself tells of a review that it cannot check', () => {
  let here: Reviewing

  beforeEach(async () => {
    here = new Reviewing()
    await here.start()
  })

  afterEach(() => here.stop())

  const pinned = aDeployment(`${NAMESPACE}/${NAME}`).withReplicas(3).enabled().pinned()
  const update = (object: object) => changing(pinned, object, object, { uid: 'u'.repeat(128) })
  const labels = Object.fromEntries(Array.from({ length: 4097 }, (_, index) => [`l${index}`, '']))
  const reviews: [string, '/webhook/scale' | '/webhook/workloads', object][] = [
    ['unchecked', '/webhook/scale', scaling(pinned.with({ resourceVersion: '99999' }), 5)],
    ['unexpected', '/webhook/scale', scaling(pinned.with({ resourceVersion: 'seven' }), 5)],
    ['too_large', '/webhook/workloads', update({ metadata: { namespace: NAMESPACE, name: NAME, labels } })],
    ['failed', '/webhook/scale', scaling(pinned, 5)],
  ]
  for (const [reason, path, request] of reviews) {
    it(`names Dormouse and the workload first and fits 256 characters: ${reason}`, async () => {
      here.copies.set(keyOf(pinned), pinned)
      here.failure = new Refusal('CLUSTER_UNAVAILABLE', 'x'.repeat(1000))
      if (reason === 'failed') {
        let looked = 0
        here.onLook = () => (looked++ < 2 ? expect.fail('a fault of ours') : undefined)
      }
      const { status, warnings = [] } = await here.review(path, request)
      expect(here.told[0]).to.match(new RegExp(` ${reason}$`))
      const texts = [...warnings, ...(status ? [status.message] : [])]
      expect(texts).to.have.length(1)
      expect(texts[0]).to.match(/^Dormouse: deployment n-+[^ ]*…[^ ]*w /)
      expect(texts[0]).to.have.length.at.most(256)
    })
  }
})
