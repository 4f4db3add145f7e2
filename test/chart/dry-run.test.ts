import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { describeOn } from '../support/clusters.ts'
import type { Cluster } from '../support/cluster.ts'
import { customResources } from './custom-resources.ts'
import { helm, type Manifest } from './helm.ts'
import { MATRIX } from './matrix.ts'
import { isAllowed } from '../support/rights.ts'

const RESTRICTED = {
  'pod-security.kubernetes.io/enforce': 'restricted',
  'pod-security.kubernetes.io/warn': 'restricted',
}

describeOn('the chart, before the API server', function (on) {
  this.timeout(180_000)
  const namespace = `chart-${randomBytes(4).toString('hex')}`
  const { template } = helm()
  customResources(on)

  before('a namespace that lets in restricted pods only', async () => {
    const metadata = { name: namespace, labels: RESTRICTED }
    await on().admin.expect('POST', '/api/v1/namespaces', { metadata })
    // A pod needs its account even in a dry run.
    for (const name of [`${namespace}-dormouse`, 'elsewhere', 'sleeper']) {
      const path = `/api/v1/namespaces/${namespace}/serviceaccounts`
      await on().admin.expect('POST', path, { metadata: { name } })
    }
  })

  after(async () => {
    await on().admin.expect('DELETE', `/api/v1/namespaces/${namespace}`)
  })

  const dryRun = (objects: readonly object[]) =>
    on().kubectl.withFile('create', objects, '--dry-run=server', '--validate=strict')

  for (const [name, values] of Object.entries(MATRIX)) {
    it(`is taken without a warning with ${name}, and its pods as restricted ones`, async () => {
      const objects = await template(values, { name: namespace, namespace })
      // The cluster has these already: their names are fixed.
      const fresh = objects.filter(
        ({ kind, metadata }) =>
          kind !== 'ServiceAccount' && (kind !== 'ConfigMap' || metadata.namespace !== 'kube-public'),
      )
      const { code, stdout, stderr } = await dryRun(fresh)
      expect(stderr).to.equal('')
      expect(code).to.equal(0)
      expect(stdout.trim().split('\n')).to.have.length(fresh.length)

      const pods = podsOf(objects, namespace)
      expect(pods).to.have.length(objects.some(({ kind }) => kind === 'Job') ? 2 : 1)
      const admitted = await dryRun(pods)
      expect(admitted.stderr).to.equal('')
      expect(admitted.code).to.equal(0)
    })
  }

  it('would be warned of, and its pods refused, if they might more', async () => {
    const objects = await template(
      { securityContext: { allowPrivilegeEscalation: true } },
      { name: namespace, namespace },
    )
    const warned = await dryRun(objects.filter(({ kind }) => kind === 'Deployment'))
    expect(warned.stderr).to.include('would violate PodSecurity "restricted:latest"')
    const refused = await dryRun(podsOf(objects, namespace))
    expect(refused.code).to.equal(1)
    expect(refused.stderr).to.include('violates PodSecurity "restricted:latest"')
  })

  describe('its roles for people', () => {
    before(async () => {
      const objects = await template({ fullnameOverride: namespace }, { name: namespace, namespace })
      const roles = objects.filter(
        ({ kind, metadata }) => kind === 'ClusterRole' && /-(?:viewer|operator)$/.test(metadata.name),
      )
      expect((await on().kubectl.withFile('create', roles)).code).to.equal(0)
      for (const role of ['viewer', 'operator'])
        await on().kubectl(
          'create',
          'rolebinding',
          role,
          `--clusterrole=${namespace}-${role}`,
          `--user=${role}`,
          '-n',
          namespace,
        )
    })

    after(async () => {
      await on().kubectl('delete', 'clusterrole', `${namespace}-viewer`, `${namespace}-operator`)
    })

    it('allow what the API asks for, and the viewer no more than to look', async () => {
      for (const kind of KINDS) {
        for (const verb of ['get', 'list']) {
          expect(await may(on(), 'viewer', verb, kind)).to.equal(true)
          expect(await may(on(), 'operator', verb, kind)).to.equal(true)
        }
        expect(await may(on(), 'operator', 'patch', kind)).to.equal(true)
        if (kind !== 'daemonsets')
          expect(await may(on(), 'operator', 'update', `${kind}/scale`)).to.equal(true)
        for (const [verb, what] of [
          ['patch', kind],
          ['update', `${kind}/scale`],
          ['delete', kind],
        ] as const)
          expect(await may(on(), 'viewer', verb, what), `viewer ${verb} ${what}`).to.equal(false)
        expect(await may(on(), 'operator', 'delete', kind)).to.equal(false)
        expect(await may(on(), 'operator', 'create', kind)).to.equal(false)
      }
    })

    it('are parts of view and edit', async () => {
      const name = (role: string) => `/apis/rbac.authorization.k8s.io/v1/clusterroles/${namespace}-${role}`
      const labels = async (role: string) => (await on().admin.expect('GET', name(role))).metadata?.['labels']
      expect(await labels('viewer')).to.include({ 'rbac.authorization.k8s.io/aggregate-to-view': 'true' })
      expect(await labels('operator')).to.include({ 'rbac.authorization.k8s.io/aggregate-to-edit': 'true' })
    })
  })

  function may({ admin }: Cluster, user: string, verb: string, what: string): Promise<boolean> {
    const [resource = '', subresource] = what.split('/')
    return isAllowed(admin, user, { namespace, group: 'apps', verb, resource, subresource })
  }
})

const KINDS = ['deployments', 'statefulsets', 'daemonsets', 'replicasets']

/** The pods that the Deployment and the hook's Job would make. */
function podsOf(objects: readonly Manifest[], namespace: string): object[] {
  return objects
    .filter(({ kind }) => kind === 'Deployment' || kind === 'Job')
    .map(({ kind, spec }) => {
      const { template } = spec as { template: { metadata: { labels: object }; spec: object } }
      const metadata = { name: kind.toLowerCase(), namespace, labels: template.metadata.labels }
      return { apiVersion: 'v1', kind: 'Pod', metadata, spec: template.spec }
    })
}
