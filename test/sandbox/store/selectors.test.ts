import { expect } from 'chai'
import { fieldSelector, labelSelector, matches as selects } from '../../../src/sandbox/store/selectors.ts'
import type { KubeObject } from '../../../src/sandbox/store/object.ts'
import { StatusError } from '../../../src/sandbox/store/status.ts'

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

  it('compare whole numbers, and take () for an empty value', () => {
    expect(matches('a>0,a<2', { a: '1' })).to.equal(true)
    expect(matches('a>1', { a: '1' })).to.equal(false)
    expect(matches('a in ()', { a: '' })).to.equal(true)
    expect(matches('a in ( )', {})).to.equal(false)
  })

  it('that cannot be parsed are a bad request', () => {
    for (const selector of ['a in 1', '=1'])
      expect(() => labelSelector(selector))
        .to.throw(StatusError, 'unable to parse requirement: at ')
        .with.property('code', 400)
  })
})

describe('the LabelSelector of an object', () => {
  const inside = (operator: string, labels: Record<string, string>) =>
    selects(
      { matchLabels: { app: 'web' }, matchExpressions: [{ key: 'tier', operator, values: ['a'] }] },
      labels,
    )

  it('matches what its labels and expressions all match', () => {
    expect(inside('In', { app: 'web', tier: 'a' })).to.equal(true)
    expect(inside('In', { app: 'db', tier: 'a' })).to.equal(false)
    expect(inside('NotIn', { app: 'web' })).to.equal(true)
    expect(inside('Exists', { app: 'web' })).to.equal(false)
    expect(inside('DoesNotExist', { app: 'web' })).to.equal(true)
  })

  it('matches nothing by an unknown operator', () => {
    expect(inside('Gt', { app: 'web', tier: 'b' })).to.equal(false)
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
