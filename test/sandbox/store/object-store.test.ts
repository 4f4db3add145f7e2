import { expect } from 'chai'
import { ObjectStore } from '../../../src/sandbox/store/object-store.ts'
import type { KubeObject } from '../../../src/sandbox/store/object.ts'

const pod = (name: string, namespace = 'a', metadata: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace, ...metadata },
})

const aStore = (historyLimit = 100) => new ObjectStore({ clock: () => Date.UTC(2026, 0, 1), historyLimit })

describe('object store', () => {
  it('gives every change a version of its own, that grows', () => {
    const store = aStore()
    const one = store.create('pods', pod('one'))
    const two = store.create('pods', pod('two'))
    const changed = store.replace('pods', one, { ...one, status: { phase: 'Running' } })
    const deleted = store.delete('pods', two)
    const versions = [one, two, changed, deleted].map(({ metadata }) => Number(metadata.resourceVersion))
    const [first = 0] = versions
    expect(versions).to.deep.equal([first, first + 1, first + 2, first + 3])
    expect(store.version).to.equal(first + 3)
  })

  it('lists in the order of namespace and name', () => {
    const store = aStore()
    for (const [name, namespace] of [
      ['z', 'a'],
      ['b', 'b'],
      ['a', 'b'],
    ])
      store.create('pods', pod(name ?? '', namespace))
    const names = (namespace?: string) => store.list('pods', namespace).map(({ metadata }) => metadata.name)
    expect(names()).to.deep.equal(['z', 'a', 'b'])
    expect(names('b')).to.deep.equal(['a', 'b'])
  })

  it('shows a list as it was at an earlier version', () => {
    const store = aStore()
    const one = store.create('pods', pod('one'))
    const two = store.create('pods', pod('two'))
    const { version } = store
    store.replace('pods', one, { ...one, status: { phase: 'Running' } })
    store.delete('pods', two)
    store.create('pods', pod('three'))
    store.create('secrets', pod('other'))
    expect(store.listAt('pods', 'a', version)).to.deep.equal([one, two])
  })

  it('tells what came after a version, and no more of what fell out of its log', () => {
    const store = aStore(2)
    store.create('pods', pod('one'))
    const { version } = store
    for (const name of ['two', 'three']) store.create('pods', pod(name))
    expect(store.since(version).map(({ object }) => object.metadata.name)).to.deep.equal(['two', 'three'])
    store.create('pods', pod('four'))
    expect(() => store.since(version)).to.throw('too old resource version')
    expect(store.since(version + 1)).to.have.length(2)
    for (let index = 0; index < 10; index++) store.create('pods', pod(`more-${index}`))
    expect(store.since(store.version - 2)).to.have.length(2)
    expect(() => store.since(store.version - 3)).to.throw('too old resource version')
  })

  it('knows what belongs to an owner, until it goes or loses its owner reference', () => {
    const store = aStore()
    const ownerReferences = [{ apiVersion: 'v1', kind: 'X', name: 'x', uid: 'u' }]
    const one = store.create('pods', pod('one', 'a', { ownerReferences }))
    const two = store.create('pods', pod('two', 'a', { ownerReferences }))
    expect(store.owned('u').map(({ object }) => object)).to.deep.equal([one, two])
    store.replace('pods', one, pod('one'))
    store.delete('pods', two)
    expect(store.owned('u')).to.deep.equal([])
  })
})
