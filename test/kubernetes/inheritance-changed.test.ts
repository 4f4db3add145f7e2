import { expect } from 'chai'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Workload } from '../../src/domain/workload/workload.ts'
import { InformedDeployments, list } from './informed-deployments.ts'
import { deployment, workload } from './objects.ts'

/** More than are told in one turn of the event loop. */
const NAMES = Array.from({ length: 120 }, (_, index) => `web-${index}`)

describe('the informer, when what the workloads of a Namespace inherit has changed,', () => {
  let api: InformedDeployments
  /** Of each workload, the copy that listeners were told of twice. */
  let told: Map<string, Workload>

  beforeEach(async () => {
    api = new InformedDeployments()
    api.lists = [list('100', ...NAMES.map((name) => deployment(name)))]
    await api.open()
    await api.started()
    told = new Map()
    api.informer.onChange((before, after) => {
      if (after && before === after) told.set(after.name, after)
    })
  })

  afterEach(() => api.close())

  it('tells of each of them, as of a change from its copy to that same copy', async () => {
    api.informer.inheritanceChanged('elsewhere')
    api.informer.inheritanceChanged('shop')
    for (let turn = 0; turn < 10; turn++) await nextTurn()
    expect([...told.keys()]).to.have.members(NAMES)
  })

  it('tells also of those whose status changes meanwhile, which is no reason to evaluate them', async () => {
    api.informer.inheritanceChanged('shop')
    for (const name of NAMES) api.informer.applied(workload(name, { resourceVersion: '200' }))
    for (let turn = 0; turn < 10; turn++) await nextTurn()
    expect([...told.keys()]).to.have.members(NAMES)
    expect(told.get('web-119')?.resourceVersion, 'its newest copy').to.equal('200')
  })
})
