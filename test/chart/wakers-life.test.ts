import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { helm } from '../go-programs/go-program.ts'
import { describeOnWith } from '../support/clusters.ts'
import { eventually } from '../support/eventually.ts'
import { CHART, helmIn } from './helm.ts'

const GROUP = '/apis/discovery.k8s.io/v1'
const RESTRICTED = { 'pod-security.kubernetes.io/enforce': 'restricted' }

describeOnWith(helm, 'the wakers of a release', function (on, program) {
  this.timeout(180_000)
  const name = `wakers-${randomBytes(4).toString('hex')}`
  const shop = `${name}-shop`
  const wakers = `${name}-dormouse-waker`
  const { run, attempt } = helmIn(program, () => on().adminKubeconfig)
  /** Nothing that a cluster has only one of. */
  const valuesWith = (enabled: boolean) => ({
    config: { webhook: { enabled: false }, waker: { enabled } },
    publish: { enabled: false },
    rbac: { aggregate: false },
  })
  const released = (verb: string, enabled: boolean) =>
    run([verb, name, CHART, '-n', name, '--no-hooks'], valuesWith(enabled))
  const slices = `${GROUP}/namespaces/${shop}/endpointslices`

  before('namespaces', async () => {
    for (const metadata of [{ name, labels: RESTRICTED }, { name: shop }])
      await on().admin.expect('POST', '/api/v1/namespaces', { metadata })
  })

  after(async () => {
    await attempt(['uninstall', name, '-n', name, '--no-hooks'])
    for (const each of [name, shop]) await on().admin.expect('DELETE', `/api/v1/namespaces/${each}`)
  })

  /** A slice of the wakers' ClusterRole, as the leader writes it. */
  async function slice(of: string): Promise<void> {
    const apiVersion = 'rbac.authorization.k8s.io/v1'
    const { metadata } = await on().admin.expect('GET', `/apis/${apiVersion}/clusterroles/${wakers}`)
    const owner = { apiVersion, kind: 'ClusterRole', name: wakers, uid: metadata?.['uid'] }
    await on().admin.expect('POST', slices, {
      metadata: { name: of, labels: { 'kubernetes.io/service-name': 'web' }, ownerReferences: [owner] },
      addressType: 'IPv4',
      ports: [{ name: 'http', port: 20_000, protocol: 'TCP' }],
      endpoints: [],
    })
  }

  const gone = (of: string) =>
    eventually(
      'the slice to go',
      async () => (await on().admin.send('GET', `${slices}/${of}`)).status === 404,
    )
  const ready = () => on().kubectl('rollout', 'status', `deployment/${wakers}`, '-n', name, '--timeout=60s')

  it('run where only restricted pods may, and Kubernetes lists them for their Service', async () => {
    await released('install', true)
    await ready()
    await eventually('both to be listed as ready', async () => {
      const query = `?labelSelector=${encodeURIComponent(`kubernetes.io/service-name=${wakers}`)}`
      const { items = [] } = await on().admin.expect(
        'GET',
        `${GROUP}/namespaces/${name}/endpointslices${query}`,
      )
      const [first, ...others] = items as { endpoints?: { conditions: { ready: boolean } }[] }[]
      expect(others).to.deep.equal([])
      return first?.endpoints?.filter(({ conditions }) => conditions.ready).length === 2
    })
  })

  it('leave no slice behind when they are switched off, and come back when they are switched on', async () => {
    await slice('dormouse-off')
    await released('upgrade', false)
    await gone('dormouse-off')
    const left = await on().kubectl('get', 'deployments,services,clusterroles', '-A', '-o', 'name')
    expect(left).to.not.include(wakers)
    await released('upgrade', true)
    await ready()
  })

  it('nor by a rollback, nor when the release is uninstalled', async () => {
    await slice('dormouse-back')
    await run(['rollback', name, '2', '-n', name, '--no-hooks'])
    await gone('dormouse-back')
    await run(['rollback', name, '3', '-n', name, '--no-hooks'])
    await slice('dormouse-end')
    await run(['uninstall', name, '-n', name, '--no-hooks'])
    await gone('dormouse-end')
  })
})
