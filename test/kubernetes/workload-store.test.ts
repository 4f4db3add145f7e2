import { expect } from 'chai'
import type { Workload } from '../../src/domain/workload/workload.ts'
import { compareVersions } from '../../src/domain/workload/workload.ts'
import { WorkloadStore } from '../../src/kubernetes/workload-store.ts'
import { WEB, workload } from './objects.ts'

const NOW = Date.UTC(2026, 2, 2)

function aStore() {
  const changes: [string | undefined, string | undefined][] = []
  const store = new WorkloadStore(
    (before, after) => void changes.push([before?.resourceVersion, after?.resourceVersion]),
    () => NOW,
  )
  return { store, changes }
}

const web = (resourceVersion: string, parts: object = {}): Workload =>
  workload('web', { resourceVersion, ...parts })

describe('resourceVersions', () => {
  it('order as integers of any length', () => {
    expect(compareVersions('9', '10')).to.be.below(0)
    expect(compareVersions('10', '9')).to.be.above(0)
    expect(compareVersions('123456789012345678901', '123456789012345678902')).to.be.below(0)
    expect(compareVersions('7', '7')).to.equal(0)
  })
})

describe('when pods followed', () => {
  const ready = { existing: 1, ready: 1, observedGeneration: 1 }
  const newest = (...copies: Workload[]) => {
    const { store } = aStore()
    for (const copy of copies) store.of('deployments').put(copy)
    return store.get(copies[0]!)?.pods
  }

  it('is when they were first seen to, and stays so', () => {
    const pods = newest(
      { ...web('1'), pods: { ...ready, ready: 0 }, generation: 1, replicas: 1 },
      { ...web('2'), pods: ready, generation: 1, replicas: 1 },
      { ...web('3'), pods: ready, generation: 1, replicas: 1 },
    )
    expect(pods).to.deep.equal({ ...ready, followedAt: NOW })
  })

  it('is kept of an earlier spec: what that had asked for was done', () => {
    const pods = newest(
      { ...web('1'), pods: { ...ready, ready: 0 }, generation: 1, replicas: 1 },
      { ...web('2'), pods: ready, generation: 1, replicas: 1 },
      { ...web('3'), pods: ready, generation: 2, replicas: 5 },
    )
    expect(pods).to.deep.equal({ ...ready, followedBefore: NOW })
  })

  it('is forgotten of an earlier spec once our state was written: it ended another operation', () => {
    const annotations = { 'dormouse.dev/state': 'newer' }
    const pods = newest(
      { ...web('1'), pods: { ...ready, ready: 0 }, generation: 1, replicas: 1 },
      { ...web('2'), pods: ready, generation: 1, replicas: 1 },
      { ...web('3', { annotations }), pods: ready, generation: 2, replicas: 5 },
    )
    expect(pods).to.deep.equal(ready)
  })

  it('is not known of what followed before it was seen', () => {
    expect(newest({ ...web('1'), pods: ready, generation: 1, replicas: 1 })).to.deep.equal(ready)
  })
})

describe('the store of workloads', () => {
  it('takes what is newer, and neither what is equal nor what is older', () => {
    const { store, changes } = aStore()
    for (const version of ['10', '10', '9', '11']) store.of('deployments').put(web(version))
    expect(changes).to.deep.equal([
      [undefined, '10'],
      ['10', '11'],
    ])
  })

  it('takes what is older where the list outranks its copy: the cluster itself went back', () => {
    const { store } = aStore()
    store.of('deployments').put(web('10'))
    store.of('deployments').put(web('9'), (version) => version === '10')
    expect(store.get(WEB)?.resourceVersion).to.equal('9')
  })

  it('takes an object of the same name and another uid as one gone and one added', () => {
    const { store, changes } = aStore()
    store.of('deployments').put(web('10'))
    store.of('deployments').put(web('12', { uid: 'another' }))
    expect(changes.slice(1)).to.deep.equal([
      ['10', undefined],
      [undefined, '12'],
    ])
  })

  it('takes nothing that is told late of an object that was created again', () => {
    const { store, changes } = aStore()
    store.of('deployments').put(web('10'))
    store.of('deployments').put(web('12', { uid: 'another' }))
    const told = changes.length
    store.of('deployments').put(web('10'))
    store.of('deployments').delete(web('11'))
    expect(changes.slice(told)).to.deep.equal([])
    expect(store.get(WEB)?.uid).to.equal('another')
  })

  it('takes an object of another uid that is older when the cluster itself went back', () => {
    const { store } = aStore()
    store.of('deployments').put(web('12', { uid: 'another' }))
    store.of('deployments').put(web('10'), (version) => version === '12')
    expect(store.get(WEB)?.resourceVersion).to.equal('10')
  })

  it('takes a write of ours at once; the same from the watch is no change', () => {
    const { store, changes } = aStore()
    store.of('deployments').put(web('10'))
    store.applied(web('12'))
    store.of('deployments').put(web('11'))
    store.of('deployments').put(web('12'))
    expect(changes).to.deep.equal([
      [undefined, '10'],
      ['10', '12'],
    ])
  })

  it('keeps annotations and labels of the copy before while they stay the same', () => {
    const { store } = aStore()
    const marked = (version: string, state: string) =>
      web(version, { annotations: { 'dormouse.dev/state': state }, labels: { app: 'web' } })
    const first = marked('10', 'a')
    store.of('deployments').put(first)
    store.of('deployments').put(marked('11', 'a'))
    expect(store.get(WEB)?.annotations).to.equal(first.annotations)
    expect(store.get(WEB)?.labels).to.equal(first.labels)
    store.of('deployments').put(marked('12', 'b'))
    expect(store.get(WEB)?.annotations).to.deep.equal({ state: 'b' })
  })

  it('hears what the watch knows better about a write of ours, once', () => {
    const { store, changes } = aStore()
    store.of('deployments').put(web('10', { replicas: 3, ready: 1 }))
    store.applied(web('12', { replicas: 3, ready: 1 }))
    store.of('deployments').put(web('12', { replicas: 3, ready: 2 }))
    store.of('deployments').put(web('12', { replicas: 3, ready: 3 }))
    expect(changes.slice(2)).to.deep.equal([['12', '12']])
    expect(store.get(WEB)?.pods.ready).to.equal(2)
  })

  it('takes no write of ours for what is gone, replaced or already newer', () => {
    const { store, changes } = aStore()
    store.applied(web('10'))
    store.of('deployments').put(web('12'))
    store.applied(web('11'))
    store.applied(web('12', { ready: 0 }))
    store.applied(web('13', { uid: 'another' }))
    expect(changes).to.deep.equal([[undefined, '12']])
  })

  it('lists all, those of a namespace, and those of a kind', () => {
    const { store } = aStore()
    store.of('deployments').put(workload('web'))
    store.of('deployments').put(workload('api', { namespace: 'bank' }))
    store.of('statefulsets').put(workload('db', {}, 'statefulsets'))
    const names = (...filter: Parameters<WorkloadStore['list']>) =>
      [...store.list(...filter)].map(({ name }) => name)
    expect(names()).to.have.members(['web', 'api', 'db'])
    expect(names('shop')).to.have.members(['web', 'db'])
    expect(names(undefined, 'deployments')).to.have.members(['web', 'api'])
    expect(names('shop', 'statefulsets')).to.deep.equal(['db'])
    expect(names('nowhere')).to.deep.equal([])
  })
})
