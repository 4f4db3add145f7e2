import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { describeOnWith } from '../support/clusters.ts'
import { customResources, definitions } from './custom-resources.ts'
import { helmIn, type Manifest } from './helm.ts'
import { MATRIX } from './matrix.ts'
import { helm } from '../go-programs/go-program.ts'
import { both } from '../suite/need.ts'

const RESTRICTED = {
  'pod-security.kubernetes.io/enforce': 'restricted',
  'pod-security.kubernetes.io/warn': 'restricted',
}

describeOnWith(both(helm, definitions), 'the chart, before the API server', function (on, [program, files]) {
  this.timeout(180_000)
  const namespace = `chart-${randomBytes(4).toString('hex')}`
  const { template } = helmIn(program)
  customResources(on, files)

  before('a namespace that lets in restricted pods only', async () => {
    const metadata = { name: namespace, labels: RESTRICTED }
    await on().admin.expect('POST', '/api/v1/namespaces', { metadata })
    // A pod needs its account even in a dry run.
    for (const name of [
      `${namespace}-dormouse`,
      `${namespace}-dormouse-waker`,
      'elsewhere',
      'sleeper',
      'porter',
    ]) {
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
      const pods = podsOf(objects, namespace)
      const [job, wakers] = [/-release-[0-9a-f]+$/, /-waker$/].map((pattern) =>
        objects.some(({ kind, metadata }) => /Job|Deployment/.test(kind) && pattern.test(metadata.name)),
      )
      expect(pods).to.have.length(1 + Number(job) + Number(wakers))
      const all = [...fresh, ...pods]
      const { code, stdout, stderr } = await dryRun(all)
      expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' })
      expect(stdout.trim().split('\n')).to.have.length(all.length)
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
})

/** The pods that the Deployments and the hook's Job would make. */
function podsOf(objects: readonly Manifest[], namespace: string): object[] {
  return objects
    .filter(({ kind }) => kind === 'Deployment' || kind === 'Job')
    .map(({ metadata: { name }, spec }) => {
      const { template } = spec as { template: { metadata: { labels: object }; spec: object } }
      const metadata = { name: name.toLowerCase(), namespace, labels: template.metadata.labels }
      return { apiVersion: 'v1', kind: 'Pod', metadata, spec: template.spec }
    })
}
