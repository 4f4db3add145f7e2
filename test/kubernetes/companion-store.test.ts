import { expect } from 'chai'
import { SCALED_OBJECTS } from '../../src/domain/autoscaling/scaled-object.ts'
import { CompanionStore } from '../../src/kubernetes/companion-store.ts'
import { OUTRANKS_NONE } from '../../src/kubernetes/reflector.ts'
import { KEDA } from '../support/scaled-objects.ts'

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
  const store = new CompanionStore(SCALED_OBJECTS, (before, after) =>
    told.push(`${before?.resourceVersion ?? '-'} > ${after?.resourceVersion ?? '-'}`),
  )
  return { store, told, sink: store.sink(KEDA) }
}

describe('the store of companions', () => {
  it('takes an object of the same name and another uid as one gone and one added', () => {
    const { store, told, sink } = aStore()
    sink.put(scaler('1'), OUTRANKS_NONE)
    sink.put(scaler('2', { uid: 'second', target: 'api' }), OUTRANKS_NONE)
    expect(told).to.deep.equal(['- > 1', '1 > -', '- > 2'])
    expect(store.of(WEB)).to.deep.equal([])
    expect(store.of({ ...WEB, name: 'api' })).to.have.length(1)
  })

  it('keeps both of two for one workload, and the other when one goes', () => {
    const { store, sink } = aStore()
    sink.put(scaler('1'), OUTRANKS_NONE)
    sink.put(scaler('2', { name: 'second', uid: 'second' }), OUTRANKS_NONE)
    sink.put(scaler('3'), OUTRANKS_NONE)
    expect(store.of(WEB)).to.have.length(2)
    sink.delete(scaler('3'))
    expect(store.of(WEB).map(({ name }) => name)).to.deep.equal(['second'])
    sink.retain(new Set(), () => true, '9')
    expect([...store.list(), ...store.of(WEB)]).to.deep.equal([])
  })

  it('keeps what a list lacks and does not outrank: it was made since', () => {
    const { store, sink } = aStore()
    sink.put(scaler('5'), OUTRANKS_NONE)
    sink.retain(new Set(), (version) => version < '5', '9')
    expect([...store.list()]).to.have.length(1)
  })
})
