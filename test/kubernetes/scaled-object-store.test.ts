import { expect } from 'chai'
import { OUTRANKS_NONE } from '../../src/kubernetes/reflector.ts'
import { ScaledObjectStore, trimScaledObject } from '../../src/kubernetes/scaled-object-store.ts'

const WEB = { kind: 'deployments', namespace: 'shop', name: 'web' } as const

/** The ScaledObject `shop/web`, which scales the Deployment of this name. */
function scaler(resourceVersion: string, { uid = 'first', target = 'web', name = 'web' } = {}) {
  return {
    metadata: { name, namespace: 'shop', uid, resourceVersion },
    spec: { scaleTargetRef: { name: target } },
  }
}

function aStore() {
  const told: string[] = []
  const store = new ScaledObjectStore((before, after) =>
    told.push(`${before?.resourceVersion ?? '-'} > ${after?.resourceVersion ?? '-'}`),
  )
  return { store, told }
}

describe('the store of ScaledObjects', () => {
  it('takes an object of the same name and another uid as one gone and one added', () => {
    const { store, told } = aStore()
    store.sink.put(scaler('1'), OUTRANKS_NONE)
    store.sink.put(scaler('2', { uid: 'second', target: 'api' }), OUTRANKS_NONE)
    expect(told).to.deep.equal(['- > 1', '1 > -', '- > 2'])
    expect(store.ofTarget(WEB)).to.deep.equal([])
    expect(store.ofTarget({ ...WEB, name: 'api' })).to.have.length(1)
  })

  it('takes a write of ours at once, but not of an older copy, nor of a namesake', () => {
    const { store, told } = aStore()
    const applied = (...written: Parameters<typeof scaler>) =>
      store.applied(trimScaledObject(scaler(...written)))
    applied('1')
    expect([...store.list()], 'it is gone already').to.deep.equal([])
    store.sink.put(scaler('5'), OUTRANKS_NONE)
    applied('4', { target: 'old' })
    applied('9', { uid: 'former', target: 'former' })
    expect(told).to.deep.equal(['- > 5'])
    applied('6', { target: 'api' })
    expect(told).to.deep.equal(['- > 5', '5 > 6'])
    expect(store.ofTarget(WEB)).to.deep.equal([])
  })

  it('keeps both of two for one workload, and the other when one goes', () => {
    const { store } = aStore()
    store.sink.put(scaler('1'), OUTRANKS_NONE)
    store.sink.put(scaler('2', { name: 'second', uid: 'second' }), OUTRANKS_NONE)
    store.sink.put(scaler('3'), OUTRANKS_NONE)
    expect(store.ofTarget(WEB)).to.have.length(2)
    store.sink.delete(scaler('3'))
    expect(store.ofTarget(WEB).map(({ name }) => name)).to.deep.equal(['second'])
    store.sink.retain(new Set(), () => true, '9')
    expect([...store.list(), ...store.ofTarget(WEB)]).to.deep.equal([])
  })

  it('keeps what a list lacks and does not outrank: it was made since', () => {
    const { store } = aStore()
    store.sink.put(scaler('5'), OUTRANKS_NONE)
    store.sink.retain(new Set(), (version) => version < '5', '9')
    expect([...store.list()]).to.have.length(1)
  })
})
