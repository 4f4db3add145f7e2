import { expect } from 'chai'
import { fieldSelector, labelSelector } from '../../../src/sandbox/store/selectors.ts'
import type { KubeObject } from '../../../src/sandbox/store/object.ts'

const labelled = (labels: Record<string, string>): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web', namespace: 'shop', labels },
})

describe('label selectors', () => {
  const matches = (selector: string, labels: Record<string, string>) =>
    labelSelector(selector)?.(labelled(labels))

  it('match by equality, by sets and by existence', () => {
    for (const selector of [
      'a=1',
      'a==1',
      'b!=1',
      'a',
      '!b',
      'a in (1,2)',
      'a notin (3)',
      'a=1,!b',
      'a in (0, 1),a!=2',
    ])
      expect(matches(selector, { a: '1' }), selector).to.equal(true)
    for (const selector of ['a=2', 'a!=1', '!a', 'b', 'a in (2,3)', 'a notin (1)', 'a=1,b'])
      expect(matches(selector, { a: '1' }), selector).to.equal(false)
  })

  it('do not take an absent label for an empty one', () => {
    expect(matches('a=', {})).to.equal(false)
    expect(matches('a=', { a: '' })).to.equal(true)
  })

  it('that cannot be read are a bad request', () => {
    expect(() => labelSelector('a in 1')).to.throw('label selector')
    expect(() => labelSelector('=1')).to.throw('label selector')
  })
})

describe('field selectors', () => {
  it('match name and namespace', () => {
    expect(fieldSelector('metadata.name=web,metadata.namespace!=staging')?.(labelled({}))).to.equal(true)
    expect(fieldSelector('metadata.name=db')?.(labelled({}))).to.equal(false)
  })

  it('refuse other fields', () => {
    expect(() => fieldSelector('spec.replicas=1')).to.throw('field label not supported')
  })
})
