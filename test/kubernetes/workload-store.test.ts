import { expect } from 'chai'
import type { Workload } from '../../src/domain/workload/workload.ts'
import { compareVersions } from '../../src/domain/workload/workload.ts'
import { Delivered } from '../../src/kubernetes/delivered.ts'
import { OUTRANKS_NONE } from '../../src/kubernetes/reflector.ts'
import { trim } from '../../src/kubernetes/trim.ts'
import { WorkloadStore } from '../../src/kubernetes/workload-store.ts'
import { WEB, deployment, workload } from './objects.ts'

const NOW = Date.UTC(2026, 2, 2)

function aStore() {
  const changes: string[] = []
  const shown = (workload: Workload | undefined) => workload?.resourceVersion ?? '-'
  const store = new WorkloadStore(
    (before, after) => void changes.push(`${shown(before)} > ${shown(after)}`),
    () => NOW,
  )
  const deployments = store.of('deployments')
  const put = (...given: Parameters<typeof deployments.put>) => deployments.put(...given)
  return { store, put, changes }
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
  const of = (version: string, readyPods = 1, parts: Partial<Workload> = {}): Workload => ({
    ...web(version),
    pods: { ...ready, ready: readyPods },
    generation: 1,
    replicas: 1,
    ...parts,
  })
  const { annotations } = web('3', { annotations: { 'dormouse.dev/state': 'newer' } })
  for (const [rule, copies, pods] of [
    ['is when they were first seen to, and stays so', [of('1', 0), of('2'), of('3')], { followedAt: NOW }],
    [
      'is kept of an earlier spec: what that had asked for was done',
      [of('1', 0), of('2'), of('3', 1, { generation: 2, replicas: 5 })],
      { followedBefore: NOW },
    ],
    [
      'is forgotten of an earlier spec once our state was written: it ended another operation',
      [of('1', 0), of('2'), of('3', 1, { generation: 2, replicas: 5, annotations })],
      {},
    ],
    ['is not known of what followed before it was seen', [of('1')], {}],
  ] as const)
    it(rule, () => {
      const { store, put } = aStore()
      for (const copy of copies) put(copy)
      expect(store.get(WEB)?.pods).to.deep.equal({ ...ready, ...pods })
    })
})

describe('the store of workloads', () => {
  const another = { uid: 'another' }
  type Store = ReturnType<typeof aStore>
  const CASES: Readonly<Record<string, readonly [told: (to: Store) => void, changes: readonly string[]]>> = {
    'takes what is newer, and neither what is equal nor what is older': [
      ({ put }) => ['10', '10', '9', '11'].forEach((version) => put(web(version))),
      ['- > 10', '10 > 11'],
    ],
    'takes what is older where the list outranks its copy: the cluster itself went back': [
      ({ put }) => {
        put(web('10'))
        put(web('9'), (version) => version === '10')
      },
      ['- > 10', '10 > 9'],
    ],
    'takes an object of another uid that is older when the cluster itself went back': [
      ({ put }) => {
        put(web('12', another))
        put(web('10'), (version) => version === '12')
      },
      ['- > 12', '12 > -', '- > 10'],
    ],
    'takes an object of the same name and another uid as one gone and one added, and nothing late of the first':
      [
        ({ put, store }) => {
          put(web('10'))
          put(web('12', another))
          put(web('10'))
          store.of('deployments').delete(web('11'))
        },
        ['- > 10', '10 > -', '- > 12'],
      ],
    'takes a write of ours at once; the same from the watch is no change': [
      ({ put, store }) => {
        put(web('10'))
        store.applied(web('12'))
        put(web('11'))
        put(web('12'))
      },
      ['- > 10', '10 > 12'],
    ],
    'hears what the watch knows better about a write of ours, once': [
      ({ put, store }) => {
        put(web('10', { ready: 1 }))
        store.applied(web('12', { ready: 1 }))
        put(web('12', { ready: 2 }))
        put(web('12', { ready: 3 }))
        expect(store.get(WEB)?.pods.ready).to.equal(2)
      },
      ['- > 10', '10 > 12', '12 > 12'],
    ],
    'takes no write of ours for what is gone, replaced or already newer': [
      ({ put, store }) => {
        store.applied(web('10'))
        put(web('12'))
        store.applied(web('11'))
        store.applied(web('12', { ready: 0 }))
        store.applied(web('13', another))
      },
      ['- > 12'],
    ],
  }
  for (const [rule, [told, changes]] of Object.entries(CASES))
    it(rule, () => {
      const to = aStore()
      told(to)
      expect(to.changes).to.deep.equal(changes)
    })

  it('keeps annotations and labels of the copy before while they stay the same', () => {
    const { store, put } = aStore()
    const marked = (version: string, state: string) =>
      web(version, { annotations: { 'dormouse.dev/state': state }, labels: { app: 'web' } })
    const first = marked('10', 'a')
    put(first)
    put(marked('11', 'a'))
    expect(store.get(WEB)?.annotations).to.equal(first.annotations)
    expect(store.get(WEB)?.labels).to.equal(first.labels)
    put(marked('12', 'b'))
    expect(store.get(WEB)?.annotations).to.deep.equal({ state: 'b' })
  })

  it('keeps nothing whole that it does not take: what comes late of a former object would stay for ever', () => {
    let now = 0
    const delivered = new Delivered({ keeps: () => true, now: () => now })
    const store = new WorkloadStore(
      () => {},
      () => NOW,
      ['deployments'],
      delivered,
    )
    const { put } = store.sink('deployments')
    const former = deployment('web', { resourceVersion: '9', uid: 'former' })
    const [newer, older] = ['12', '11'].map((resourceVersion) => deployment('web', { resourceVersion }))
    for (const object of [newer, older, former]) if (object) put(object, OUTRANKS_NONE)
    now += 10_000
    const isKept = (object = former) => delivered.of(trim('deployments', object)) !== undefined
    expect([isKept(newer), isKept(older), isKept(former)]).to.deep.equal([true, false, false])
  })

  it('lists all, those of a namespace, and those of a kind', () => {
    const { store, put } = aStore()
    put(workload('web'))
    put(workload('api', { namespace: 'bank' }))
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
