import { expect } from 'chai'
import type { WorkloadObject } from '../../src/kubernetes/api-object.ts'
import { Delivered } from '../../src/kubernetes/delivered.ts'
import { trim } from '../../src/kubernetes/trim.ts'
import { deployment } from './objects.ts'

describe('whole objects as they were delivered', () => {
  let now = 0
  const kept = (options: { budget?: number; keeps?: () => boolean } = {}) =>
    new Delivered({ keeps: () => true, now: () => now, ...options })
  const take = (delivered: Delivered, object: WorkloadObject) => {
    const copy = trim('deployments', object)
    delivered.take(copy, object)
    return copy
  }
  /** Nothing is in motion any more. */
  const later = () => (now += 10_000)

  it('are given back as they came, but for what the API server keeps itself', () => {
    const delivered = kept()
    const object = deployment('web', { managedFields: [{ manager: 'kubectl' }] })
    const copy = take(delivered, object)
    later()
    const { metadata, spec } = deployment('web')
    expect(delivered.of(copy)).to.deep.equal({ metadata, spec })
  })

  it('are those of the very copy, and have been at rest', () => {
    const delivered = kept()
    const copy = take(delivered, deployment('web', { resourceVersion: '7' }))
    expect(delivered.of(copy), 'in motion').to.equal(undefined)
    later()
    expect(delivered.of({ ...copy, resourceVersion: '8' }), 'an older one').to.equal(undefined)
    expect(delivered.of({ ...copy, uid: 'another' }), 'of a former object').to.equal(undefined)
    delivered.forget(copy.uid)
    expect(delivered.of(copy), 'deleted').to.equal(undefined)
  })

  it('are not kept where nothing will be written, or where a number would come back rounded', () => {
    const long = deployment('long', { annotations: { 'example.com/long': '9007199254740993' } })
    const delivered = kept()
    const copies = [take(delivered, long), take(kept({ keeps: () => false }), deployment('web'))]
    later()
    expect(copies.map((copy) => delivered.of(copy))).to.deep.equal([undefined, undefined])
  })

  it('past the budget those stay that are there, with their newest form', () => {
    const delivered = kept({ budget: 10 })
    const first = take(delivered, deployment('first', { uid: 'first' }))
    const second = take(delivered, deployment('second', { uid: 'second' }))
    const renewed = take(delivered, deployment('first', { uid: 'first', resourceVersion: '99' }))
    later()
    const isKept = [first, second, renewed].map((copy) => delivered.of(copy) !== undefined)
    expect(isKept).to.deep.equal([false, false, true])
    delivered.forget('first')
    take(delivered, deployment('second', { uid: 'second' }))
    later()
    expect(delivered.of(second)).to.not.equal(undefined)
  })
})
