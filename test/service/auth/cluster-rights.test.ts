import { expect } from 'chai'
import { clusterCaller } from '../../../src/service/auth/caller.ts'
import { clusterRights } from '../../../src/service/auth/cluster-rights.ts'
import type { ResourceAccess } from '../../../src/kubernetes/ports.ts'

const ANN = clusterCaller({ username: 'ann', uid: '', groups: [], extra: {} }, 'kubernetes')

describe('what the cluster said of rights', () => {
  const asked: ResourceAccess[] = []
  const may = clusterRights(
    {
      authenticate: async () => undefined,
      authorize: async (_user, access) => {
        asked.push(access)
        return access.group === 'apps'
      },
    },
    () => 0,
  )

  it('is of one API group alone: another may have a resource of the same name', async () => {
    const access = { verb: 'update', resource: 'statefulsets', namespace: 'shop' } as const
    expect(await may(ANN, { ...access, group: 'apps' })).to.equal(true)
    expect(await may(ANN, { ...access, group: 'apps.kruise.io' })).to.equal(false)
    expect(await may(ANN, { ...access, group: 'apps' })).to.equal(true)
    expect(asked.map(({ group }) => group)).to.deep.equal(['apps', 'apps.kruise.io'])
  })
})
