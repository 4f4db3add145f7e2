import { expect } from 'chai'
import { namespaceIn } from '../../src/webhook/prepare.ts'

/** A review as API servers write it, with the fields in their order. */
function review(request: object): Buffer {
  return Buffer.from(JSON.stringify({ kind: 'AdmissionReview', request: { uid: 'a', ...request } }))
}

describe('the namespace of a review that is not parsed yet', () => {
  it('is the one of the object under review', () => {
    const object = { metadata: { namespace: 'other' } }
    expect(namespaceIn(review({ name: 'web', namespace: 'shop', operation: 'UPDATE', object }))).to.equal(
      'shop',
    )
  })

  it('is empty where API servers do not write it, whatever the object says', () => {
    const object = { metadata: { namespace: 'shop' } }
    expect(namespaceIn(review({ operation: 'UPDATE', object }))).to.equal('')
    expect(namespaceIn(Buffer.from('not JSON'))).to.equal('')
  })
})
