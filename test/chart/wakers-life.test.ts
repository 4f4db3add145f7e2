import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { freePorts } from '../control-plane/ports.ts'
import { helm } from '../go-programs/go-program.ts'
import { describeOnWith } from '../support/clusters.ts'
import { startProgram } from '../support/dormouse.ts'
import { eventually } from '../support/eventually.ts'
import { RunningProgram } from '../support/running-program.ts'
import { accountKubeconfig, beside } from './beside.ts'
import { CHART, helmIn, type Manifest } from './helm.ts'

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
    // The address gets into the API's certificate.
    config: {
      webhook: { enabled: false, url: 'https://127.0.0.1:9443' },
      waker: { enabled, ports: '28100-28119' },
    },
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

  async function map(): Promise<string> {
    const { data } = await on().kubectl.json<Manifest>('get', 'configmap', wakers, '-n', name)
    return data?.['waker.yaml'] ?? ''
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

  it('get ready with what the chart gives them: configuration, rights, token and CA', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'dormouse-waker-'))
    const [api, webhook] = await freePorts(2)
    const server = await beside(on, { name, namespace: name })
    const files = {
      'waker.yaml': (await map())
        .replaceAll('/etc/dormouse/knock', folder)
        .replace(`https://${name}-dormouse.${name}.svc`, `https://127.0.0.1:${api}`),
      token: await on().kubectl('create', 'token', wakers, '-n', name, '--audience=dormouse'),
    }
    for (const [file, text] of Object.entries(files)) await writeFile(join(folder, file), text)
    const kubeconfig = await accountKubeconfig(on(), name, wakers)
    const args = ['waker', '--config', join(folder, 'waker.yaml'), '--kubeconfig', kubeconfig]
    let waker: RunningProgram | undefined
    try {
      await server.start({ api, webhook })
      const secret = await on().kubectl.json<Manifest>('get', 'secret', 'dormouse-webhook', '-n', name)
      await writeFile(join(folder, 'ca.crt'), Buffer.from(secret.data?.['ca.crt'] ?? '', 'base64'))
      waker = new RunningProgram(startProgram([...args, '--metrics-port', '0', '--json']))
      const { metrics } = await waker.ready<{ metrics: string }>()
      await eventually('it to be ready', async () => (await fetch(new URL('/readyz', metrics))).ok)
      expect(waker.log.filter((line) => /cannot \w+ resource/.test(line))).to.deep.equal([])
    } finally {
      await waker?.end('SIGTERM')
      await server.remove()
      await rm(folder, { recursive: true, force: true })
    }
  })

  it('leave no slice behind when they are switched off, and come back when they are switched on', async () => {
    await slice('off-zzzzz-dormouse')
    await released('upgrade', false)
    await gone('off-zzzzz-dormouse')
    const left = await on().kubectl('get', 'deployments,services,clusterroles', '-A', '-o', 'name')
    expect(left).to.not.include(wakers)
    await released('upgrade', true)
    await ready()
  })

  it('nor by a rollback, nor when the release is uninstalled', async () => {
    await slice('back-zzzzz-dormouse')
    await run(['rollback', name, '2', '-n', name, '--no-hooks'])
    await gone('back-zzzzz-dormouse')
    await run(['rollback', name, '3', '-n', name, '--no-hooks'])
    await slice('end-zzzzz-dormouse')
    await run(['uninstall', name, '-n', name, '--no-hooks'])
    await gone('end-zzzzz-dormouse')
  })
})
