import { expect } from 'chai'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Workload } from '../../src/domain/workload/workload.ts'
import { informedDeployments, type InformedDeployments, list } from './informed-deployments.ts'
import { deployment, workload } from './objects.ts'

/** More than fit in one turn of the event loop. */
const NAMES = Array.from({ length: 120 }, (_, index) => `web-${index}`)

describe('the informer, when what decides on workloads beside themselves has changed,', () => {
  let api: InformedDeployments
  /** For each workload, the copy that listeners got twice. */
  let told: Map<string, Workload>
  informedDeployments((opened) => (api = opened))

  beforeEach(async () => {
    api.lists = [list('100', ...NAMES.map((name) => deployment(name)))]
    await api.started()
    told = new Map()
    api.informer.onChange((before, after) => {
      if (after && before === after) told.set(after.name, after)
    })
  })

  it('tells of each of them, as of a change from its copy to that same copy', async () => {
    api.informer.inputsChanged(api.informer.list('shop'))
    for (let turn = 0; turn < 20; turn++) await nextTurn()
    expect([...told.keys()]).to.have.members(NAMES)
  })

  it('tells of those alone that this concerns, and of one over which our own code fails', async () => {
    const concerns = ({ name }: Workload) => {
      if (name === 'web-7') throw new TypeError('a bug of ours')
      return name === 'web-100'
    }
    api.informer.inputsChanged(api.informer.list(), concerns)
    expect([...told.keys()], 'some in a turn of the event loop').to.deep.equal(['web-7'])
    for (let turn = 0; turn < 20; turn++) await nextTurn()
    expect([...told.keys()]).to.deep.equal(['web-7', 'web-100'])
  })

  it('tells also of those whose status changes meanwhile, which is no reason to evaluate them', async () => {
    api.informer.inputsChanged(api.informer.list('shop'))
    for (const name of NAMES) api.informer.applied(workload(name, { resourceVersion: '200' }))
    for (let turn = 0; turn < 20; turn++) await nextTurn()
    expect([...told.keys()]).to.have.members(NAMES)
    expect(told.get('web-119')?.resourceVersion, 'its newest copy').to.equal('200')
  })
})
