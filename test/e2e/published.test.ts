import { join } from 'node:path'
import { expect } from 'chai'
import type { Client } from '../control-plane/client.ts'
import { describeOn } from '../support/clusters.ts'
import { programEnvironment, PROJECT } from '../support/dormouse.ts'
import { eventually } from '../support/eventually.ts'
import { runProgram } from '../support/kubectl.ts'
import { mayManage, mayNoLongerManage } from '../support/may-manage.ts'
import { served } from '../support/served.ts'

const CLIENT = join(PROJECT, 'src', 'client', 'main.ts')
const PUBLISHED = '/api/v1/namespaces/kube-public/configmaps/dormouse'
const RBAC = '/apis/rbac.authorization.k8s.io/v1'
const GROUP = 'published.example.com'
const GEARS = `gears.${GROUP}`
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const DEFINITION = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: GEARS },
  spec: {
    group: GROUP,
    scope: 'Namespaced',
    names: { plural: 'gears', kind: 'Gear' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: { type: 'object', properties: { replicas: { type: 'integer' } } },
              status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
            },
          },
        },
        subresources: {
          status: {},
          scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
        },
      },
    ],
  },
}

async function published(admin: Client) {
  const { metadata, data = {} } = (await admin.expect('GET', PUBLISHED)) as unknown as {
    metadata: { resourceVersion: string }
    data?: Record<string, string>
  }
  return { data, version: metadata.resourceVersion }
}

describeOn('what is published for clients', function (on) {
  this.timeout(180_000)

  before('a kind of its own, and nothing published', async () => {
    await on().admin.expect('POST', DEFINITIONS, DEFINITION)
    await eventually(
      'the kind to be served',
      async () => (await on().admin.send('GET', `/apis/${GROUP}/v1/gears`)).status === 200,
    )
    if (on().isReal) await mayManage(on(), GROUP)
    await on().admin.expect('PATCH', PUBLISHED, { data: null })
  })

  const here = served(on, {
    newWorkloadGrace: '0s',
    timezone: 'Asia/Tokyo',
    kinds: [{ resource: GEARS }],
    excludeNamespaces: ['vault'],
    policies: [{ name: 'dev', namespaces: { names: ['dev-*'] }, enabled: true }],
    console: { url: 'https://dormouse.example.com/console/' },
  })

  after(async () => {
    if (on().isReal) await mayNoLongerManage(on(), GROUP)
    await on().admin.send('DELETE', `${DEFINITIONS}/${GEARS}`)
    await on().admin.send('PATCH', PUBLISHED, { data: null })
  })

  const filled = () =>
    eventually('the leader to publish', async () => {
      const { data, version } = await published(on().admin)
      return data['timezone'] === 'Asia/Tokyo' && { data, version }
    })

  it('is written by the leader into the ConfigMap of kube-public, without the policies', async () => {
    const { data } = await filled()
    expect(Object.keys(data)).to.have.members([
      'version',
      'timezone',
      'rules',
      'kinds',
      'excludeNamespaces',
      'console',
    ])
    expect(data['version']).to.match(/^\d+\.\d+\.\d+/)
    expect(JSON.parse(data['kinds'] ?? '')).to.deep.equal([`${GEARS}=.spec.replicas`])
    expect(JSON.parse(data['excludeNamespaces'] ?? '')).to.include.members(['kube-system', 'vault'])
    expect(data['console']).to.equal('https://dormouse.example.com/console/')
  })

  it('is read by the client of a person who may edit one namespace: zone and configured kinds', async () => {
    await filled()
    await here.enabled('deployments', 'web', { schedule: '7:00-20:00' })
    const gear = { apiVersion: `${GROUP}/v1`, kind: 'Gear', metadata: { name: 'cog' }, spec: { replicas: 2 } }
    expect(await here.withFile('create', gear)).to.include({ code: 0 })
    const kubeconfig = (await on().personKubeconfig?.('dora')) ?? on().adminKubeconfig
    if (on().isReal) await mayEdit('dora')
    const listed = await eventually('both to be listed', async () => {
      const { stdout } = await client(kubeconfig, 'list', '-n', here.namespace, '-o', 'wide')
      return /\bcog\b/.test(stdout) && /\bweb\b/.test(stdout) && stdout
    })
    expect(listed).to.match(/web.*Asia\/Tokyo/)
    const refused = await client(kubeconfig, 'wake', 'deploy/dns', '-n', 'vault')
    expect(refused.code).to.equal(1)
    expect(refused.stderr).to.include('namespace vault is excluded')
  })

  it('is not stored again by the next leader, and put right by it where somebody changed it', async () => {
    const { version } = await filled()
    const restarted = async () => {
      const since = Date.now()
      await here.dormouse.terminate()
      await here.dormouse.start()
      await eventually('the next leader to publish', async () =>
        (await on().requestsSince(since)).some(
          ({ verb, url }) => verb === 'patch' && url.startsWith(PUBLISHED),
        ),
      )
    }
    await restarted()
    expect((await filled()).version).to.equal(version)
    await on().admin.expect('PATCH', PUBLISHED, { data: { timezone: 'UTC', console: null, policies: '[]' } })
    await restarted()
    const { data } = await filled()
    expect(data['console']).to.equal('https://dormouse.example.com/console/')
    expect(data).not.to.have.property('policies')
  })

  it('and nothing else of kube-public may be read by an ordinary person, nor may that be changed', async function () {
    if (!on().isReal) return
    const other = PUBLISHED.replace(/dormouse$/, `other-${here.namespace}`)
    const metadata = { name: `other-${here.namespace}` }
    await on().admin.expect('POST', PUBLISHED.replace(/\/dormouse$/, ''), { metadata })
    try {
      const kubeconfig = (await on().personKubeconfig?.('emil')) ?? ''
      const may = async (...args: string[]) => {
        const own = [`--kubeconfig=${kubeconfig}`, '-n', 'kube-public']
        const { code, stderr } = await runProgram('kubectl', [...own, ...args], { env: programEnvironment() })
        if (code !== 0) expect(stderr).to.match(/forbidden/i)
        return code === 0
      }
      expect(await may('get', 'configmap', 'dormouse'), 'get it').to.equal(true)
      expect(await may('get', 'configmap', metadata.name), 'get another').to.equal(false)
      expect(await may('get', 'configmaps'), 'list').to.equal(false)
      expect(await may('annotate', 'configmap', 'dormouse', 'a=b'), 'change it').to.equal(false)
      expect(await may('delete', 'configmap', 'dormouse'), 'delete it').to.equal(false)
    } finally {
      await on().admin.send('DELETE', other)
    }
  })

  function client(kubeconfig: string, ...args: string[]) {
    const env = { ...programEnvironment(), KUBECONFIG: kubeconfig }
    return runProgram(process.execPath, [CLIENT, ...args], { cwd: PROJECT, env })
  }

  /** Edits the namespace, and these kinds in it. */
  async function mayEdit(user: string): Promise<void> {
    const apiGroup = 'rbac.authorization.k8s.io'
    const within = `${RBAC}/namespaces/${here.namespace}`
    const rules = [{ apiGroups: [GROUP], resources: ['gears'], verbs: ['get', 'list', 'watch', 'patch'] }]
    await on().admin.expect('POST', `${within}/roles`, { metadata: { name: 'gears' }, rules })
    for (const [kind, name] of [
      ['ClusterRole', 'edit'],
      ['Role', 'gears'],
    ])
      await on().admin.expect('POST', `${within}/rolebindings`, {
        metadata: { name },
        roleRef: { apiGroup, kind, name },
        subjects: [{ apiGroup, kind: 'User', name: user }],
      })
  }
})
