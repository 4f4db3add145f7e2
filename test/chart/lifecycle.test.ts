import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { KINDS, type Kind } from '../../src/domain/workload/workload.ts'
import { freePorts } from '../control-plane/ports.ts'
import { ApiClient } from '../support/api-client.ts'
import type { Cluster } from '../support/cluster.ts'
import { describeOnWith } from '../support/clusters.ts'
import { CONFIGURATION } from '../support/enforced.ts'
import { eventually } from '../support/eventually.ts'
import { beside, type Beside, type Pod } from './beside.ts'
import { CHART, helmIn, type Manifest, type Values } from './helm.ts'
import { previousChart, type PreviousChart } from './previous-chart.ts'
import { Sleepers } from './sleepers.ts'
import { helm } from '../go-programs/go-program.ts'

const RESTRICTED = { 'pod-security.kubernetes.io/enforce': 'restricted' }
const PUBLISHED = '/api/v1/namespaces/kube-public/configmaps/dormouse'
const EVERY_NODE = ['--selector', 'kubernetes.io/os=linux']

describeOnWith(helm, "a release's life", function (on, helmProgram) {
  this.timeout(180_000)
  this.bail(true)
  const suffix = randomBytes(4).toString('hex')
  const namespace = `chart-${suffix}`
  const release = { name: `night-${suffix}`, namespace }
  const fullname = `${release.name}-dormouse`
  const shop = `shop-${suffix}`
  const sleepers = new Sleepers(on, shop)
  const { run, attempt, template } = helmIn(helmProgram, () => on().adminKubeconfig)
  let values: Values = {}
  let ports = { api: 0, webhook: 0 }
  let previous: PreviousChart | undefined
  let program: Beside | undefined
  let token = ''
  /** The ConfigMap of the account that the other tests use. */
  let shared: Awaited<ReturnType<Cluster['admin']['expect']>> | undefined

  before('workloads, the chart as it was, and no other that publishes', async () => {
    shared = await on().admin.expect('GET', PUBLISHED)
    await on().admin.expect('DELETE', PUBLISHED)
    const namespaces = [{ name: namespace, labels: RESTRICTED }, { name: shop }]
    for (const metadata of namespaces) await on().admin.expect('POST', '/api/v1/namespaces', { metadata })
    await sleepers.create()
    const [api, webhook] = await freePorts(2)
    ports = { api, webhook }
    values = { config: { webhook: { url: `https://127.0.0.1:${webhook}` } } }
    previous = await previousChart()
    program = await beside(on, release)
  })

  after('nothing stays behind', async () => {
    await program?.remove()
    await previous?.remove()
    await on().kubectl.attempt(['uncordon', ...EVERY_NODE])
    await attempt(['uninstall', release.name, '-n', namespace, '--no-hooks'])
    const { name, labels } = (shared?.metadata ?? { name: 'dormouse' }) as Manifest['metadata']
    await on().admin.send('POST', PUBLISHED.replace(/\/dormouse$/, ''), { metadata: { name, labels } })
    for (const name of [namespace, shop]) await on().admin.expect('DELETE', `/api/v1/namespaces/${name}`)
  })

  it('installs, its pods run on a namespace for restricted ones, and its webhooks are in force', async () => {
    process.stdout.write(`      the previous chart: ${previous?.told}\n`)
    const said = await run(['install', release.name, previous?.path ?? '', '-n', namespace], values)
    expect(said).to.include('STATUS: deployed')
    await on().kubectl('rollout', 'status', `deployment/${fullname}`, '-n', namespace, '--timeout=30s')
    await started()
    const lease = await on().kubectl.json<Manifest>('get', 'lease', 'dormouse', '-n', namespace)
    expect(lease['spec']).to.include.keys('holderIdentity')
  })

  it('puts a deployment to sleep and wakes it for somebody with the role that it brings', async () => {
    await on().kubectl('create', 'serviceaccount', 'dev', '-n', shop)
    const bound = [`--clusterrole=${fullname}-operator`, `--serviceaccount=${shop}:dev`, '-n', shop]
    await on().kubectl('create', 'rolebinding', 'dev', ...bound)
    token = (await on().kubectl('create', 'token', 'dev', '-n', shop, '--audience', 'dormouse')).trim()
    for (const kind of KINDS) await api('POST', kind, '/enable')
    await api('POST', 'deployments', '/snooze?wait=30s')
    expect(await sleepers.keptCount('deployments')).to.equal('3')
    await api('POST', 'deployments', '/wake?wait=30s')
    expect((await sleepers.get('deployments')).spec.replicas).to.equal(3)
  })

  it('refuses kubectl scale of a pinned one', async () => {
    await api('POST', 'deployments', '/pin')
    await refusesScaling()
  })

  it('is upgraded with workloads asleep: none wakes, none is lost', async () => {
    await api('DELETE', 'deployments', '/pin')
    for (const kind of KINDS) await api('POST', kind, '/snooze?wait=30s')
    await api('POST', 'deployments', '/pin')
    await sleepers.stay(async () => {
      await run(['upgrade', release.name, CHART, '-n', namespace], values)
      await restarted()
    })
    await refusesScaling()
  })

  it('is upgraded again without a write to what the program wrote: settings for clients, webhooks and keys', async () => {
    const written = async () => ({
      published: ((await on().admin.expect('GET', PUBLISHED)) as unknown as Manifest).data,
      webhooks: await configuration(),
    })
    await eventually('the leader to publish', async () => (await written()).published?.['timezone'] === 'UTC')
    const before = await written()
    await run(['upgrade', release.name, CHART, '-n', namespace], values)
    expect(await written()).to.deep.equal(before)
    const names = before.webhooks.webhooks?.map(({ name }) => name)
    expect(names).to.include.members(['scale.dormouse.dev', 'held.dormouse.dev'])
    const secret = await on().kubectl.json<Manifest>('get', 'secret', 'dormouse-webhook', '-n', namespace)
    expect(secret.data).to.include.keys('ca.crt', 'tls.key')
  })

  it('is rolled back the same', async () => {
    await sleepers.stay(async () => {
      await run(['rollback', release.name, '1', '-n', namespace])
      await restarted()
    })
    await refusesScaling()
  })

  it('is uninstalled: everything wakes first, and nothing of it is left', async () => {
    // Otherwise kwok would complete the Job's pod before it has done anything.
    await on().kubectl('cordon', ...EVERY_NODE)
    const uninstalled = run(['uninstall', release.name, '-n', namespace, '--timeout', '50s'])
    uninstalled.catch(() => {})
    const pod = await eventually('the pod of the hook', hookPod)
    const released = await program?.run(pod.spec)
    expect(released?.code, released?.stderr).to.equal(0)
    expect(released?.stdout).to.include(`${KINDS.length} workloads released`)
    await sleepers.expectUntouched()

    const path = `/api/v1/namespaces/${namespace}/pods/${pod.metadata.name}/status`
    const done = { status: { phase: 'Succeeded' } }
    await on().admin.expect('PATCH', path, done)
    expect(await uninstalled).to.include('uninstalled')
    await on().kubectl('uncordon', ...EVERY_NODE)
    expect(await left(), 'what is left of the release').to.deep.equal([])
    expect((await on().admin.send('GET', CONFIGURATION)).status).to.equal(404)
    await sleepers.expectUntouched()
    await sleepers.ready()
  })

  it('leaves a program that ends as it should, though it is the last to know', async () => {
    const { code, log = [] } = (await program?.stop()) ?? {}
    expect(code, log.slice(-20).join('\n')).to.equal(0)
    expect((await on().admin.send('GET', CONFIGURATION)).status, 'nobody makes it anew').to.equal(404)
  })

  const configuration = async () => (await on().admin.expect('GET', CONFIGURATION)) as unknown as Manifest

  /** The program runs, and scaling waits for it. */
  async function started(): Promise<void> {
    await program?.start(ports)
    await eventually('scaling to fail without the webhook', async () => isInForce(await configuration()))
  }

  /** As the rollout of the Deployment does, and as long as nobody answers. */
  async function restarted(): Promise<void> {
    const { code, log = [] } = (await program?.stop()) ?? {}
    expect(code, log.slice(-20).join('\n')).to.equal(0)
    await started()
  }

  async function api(method: 'POST' | 'DELETE', kind: Kind, action: string): Promise<void> {
    const ca = trusted(await configuration())
    const client = new ApiClient(`https://127.0.0.1:${ports.api}`, token, ca)
    const { status, text } = await client.call(method, `/namespaces/${shop}/${kind}/${kind}${action}`)
    await client.close()
    expect(status, `${action} ${kind}: ${text}`).to.equal(200)
  }

  async function refusesScaling(): Promise<void> {
    const scale = ['scale', 'deployment/deployments', '--replicas=5', '-n', shop, '--dry-run=server']
    await eventually('kubectl scale to be refused', async () => {
      const { code, stderr } = await on().kubectl.attempt(scale)
      return code === 1 && stderr.includes('pinned')
    })
  }

  async function hookPod(): Promise<Pod | undefined> {
    const selected = ['-n', namespace, '-l', 'app.kubernetes.io/component=release']
    return (await on().kubectl.json<{ items: Pod[] }>('get', 'pods', ...selected)).items[0]
  }

  /** The objects with the release's label, and all others in its namespace. */
  async function left(): Promise<string[]> {
    const kinds = new Set([...(await template({}, release)).map(({ kind }) => kind), 'pods'])
    const labelled = ['-A', '-l', `app.kubernetes.io/instance=${release.name}`, '-o', 'name']
    const found = await eventually('pods to go', async () => {
      const names = await on().kubectl('get', [...kinds].join(','), ...labelled)
      return !names.includes('pod/') && { names }
    })
    const own = await on().kubectl('get', 'secrets,leases', '-n', namespace, '-o', 'name')
    return [found.names, own].join('').split('\n').filter(Boolean)
  }
})

/** Whether scaling a held workload fails without the webhook. */
function isInForce({ webhooks = [] }: Manifest): boolean {
  return webhooks.some(({ failurePolicy }) => failurePolicy === 'Fail')
}

/** The CA that the API server trusts, PEM. */
function trusted({ webhooks = [] }: Manifest): string {
  const { caBundle = '' } = (webhooks[0]?.['clientConfig'] ?? {}) as { caBundle?: string }
  return Buffer.from(caBundle, 'base64').toString()
}
