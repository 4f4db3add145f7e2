import { expect } from 'chai'
import { clusterCaller } from '../../../src/service/auth/caller.ts'
import { clusterRights } from '../../../src/service/auth/cluster-rights.ts'
import type { ResourceAccess } from '../../../src/kubernetes/ports.ts'

const ANN = clusterCaller({ username: 'ann', uid: '', groups: [], extra: {} }, 'kubernetes')
const SHOP = { verb: 'update', group: 'apps', resource: 'statefulsets', namespace: 'shop' } as const

describe('what the cluster said of rights', () => {
  let asked: ResourceAccess[] = []
  let allows: (access: ResourceAccess) => boolean = () => true
  const newRights = () => {
    asked = []
    const authorize = async (_user: unknown, access: ResourceAccess) => {
      asked.push(access)
      return allows(access)
    }
    return clusterRights({ authenticate: async () => undefined, authorize }, () => 0)
  }

  it('is of one API group alone: another may have a resource of the same name', async () => {
    allows = ({ group }) => group === 'apps'
    const may = newRights()
    expect(await may(ANN, SHOP)).to.equal(true)
    expect(await may(ANN, { ...SHOP, group: 'apps.kruise.io' })).to.equal(false)
    expect(await may(ANN, SHOP)).to.equal(true)
    expect(asked.map(({ group }) => group)).to.deep.equal(['apps', 'apps.kruise.io'])
  })

  it('of all in a namespace counts for each name: 100 workloads cost one review', async () => {
    allows = () => true
    const may = newRights()
    for (let index = 0; index < 100; index += 1)
      expect(await may(ANN, { ...SHOP, name: `w${index}` })).to.equal(true)
    expect(asked).to.deep.equal([SHOP])
  })

  it('of all, where it was a no, says nothing of a name, which a Role may list', async () => {
    allows = ({ name }) => name === 'web'
    const may = newRights()
    const answers = []
    for (const name of ['web', 'api', 'web', 'api']) answers.push(await may(ANN, { ...SHOP, name }))
    expect(answers).to.deep.equal([true, false, true, false])
    expect(asked).to.deep.equal([SHOP, { ...SHOP, name: 'web' }, { ...SHOP, name: 'api' }])
  })
})
