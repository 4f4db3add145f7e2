import { readFile } from 'node:fs/promises'
import { expect } from 'chai'
import { readAuditLog } from './audit.ts'
import { clientFor } from './client.ts'
import type { KubernetesObject } from './client.ts'
import type { ControlPlane } from './control-plane.ts'
import { dormouse } from './dormouse-account.ts'
import { eventually } from '../support/eventually.ts'
import { manifest } from '../support/manifests.ts'
import { sharedControlPlane } from './shared.ts'
import { describeWith } from '../suite/need.ts'
import { realControlPlane } from './build.ts'

const kinds = ['deployments', 'statefulsets', 'daemonsets', 'replicasets'] as const
const namespace = 'control-plane-self-test'
const nodes = 3

describeWith(realControlPlane, 'the control plane itself', () => {
  let plane: ControlPlane

  before(async function () {
    this.timeout(120_000)
    plane = await sharedControlPlane()
    await plane.admin.expect('POST', '/api/v1/namespaces', { metadata: { name: namespace } })
  })

  after(async () => {
    await plane.admin.expect('DELETE', `/api/v1/namespaces/${namespace}`)
  })

  for (const kind of kinds) {
    it(`runs the pods of ${kind} until they are ready, and removes them with it`, async function () {
      // For up to 30 s after kinds came or went, as the chart's tests have them do, the garbage collector deletes nothing.
      this.timeout(120_000)
      const collection = `/apis/apps/v1/namespaces/${namespace}/${kind}`
      await plane.admin.expect('POST', collection, manifest(kind, kind, { replicas: nodes }))
      const pods = `/api/v1/namespaces/${namespace}/pods?labelSelector=app%3D${kind}`

      const ready = async () => readyCount(await plane.admin.expect('GET', `${collection}/${kind}`)) === nodes
      await eventually('its pods', ready)
      expect((await plane.admin.expect('GET', pods)).items).to.have.length(nodes)

      await plane.admin.expect('DELETE', `${collection}/${kind}`, { propagationPolicy: 'Background' })
      await eventually(
        'its pods to be gone',
        async () => (await plane.admin.expect('GET', pods)).items?.length === 0,
        { timeout: 100_000 },
      )
    })
  }

  it("records what Dormouse's account asks, and grants it no more than it needs", async () => {
    const { users } = JSON.parse(await readFile(await plane.dormouseKubeconfig(), 'utf8')) as Kubeconfig
    const client = clientFor(plane, users[0].user.token)
    const path = `/apis/apps/v1/namespaces/${namespace}/deployments`
    const listed = await client.send('GET', path)
    const deleted = await client.send('DELETE', `${path}/none`)
    await client.close()
    expect([listed.status, deleted.status]).to.deep.equal([200, 403])

    const events = (await readAuditLog(plane.auditLog)).filter(({ requestURI }) =>
      requestURI.startsWith(path),
    )
    expect(events.map(({ verb, user }) => [verb, user.username])).to.deep.equal([
      ['list', dormouse.username],
      ['delete', dormouse.username],
    ])
  })

  it('loses its API server and gets it back, with its data, at the same address', async function () {
    this.timeout(60_000)
    const path = `/api/v1/namespaces/${namespace}`
    await plane.stopApiServer()
    const refused = await plane.admin.send('GET', path).catch((error: unknown) => error)
    expect(refused).to.be.an('error')

    await plane.startApiServer()
    expect((await plane.admin.expect('GET', path)).metadata?.name).to.equal(namespace)
  })
})

interface Kubeconfig {
  readonly users: readonly [{ readonly user: { readonly token: string } }]
}

function readyCount({ status = {} }: KubernetesObject): unknown {
  return status['numberReady'] ?? status['readyReplicas']
}
