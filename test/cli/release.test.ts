import { writeFile } from 'node:fs/promises'
import { dirname } from 'node:path/posix'
import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'chai'
import { request } from 'undici'
import { registerRelease } from '../../src/cli/release.ts'
import { LeaderElection } from '../../src/service/leadership/leader-election.ts'
import { KubernetesClient } from '../../src/kubernetes/client.ts'
import type { HttpTransport } from '../../src/kubernetes/http.ts'
import { LeaseObjects } from '../../src/kubernetes/lease.ts'
import { SandboxCluster } from '../../src/sandbox/sandbox.ts'
import { RecordingObserver, silentLogger, transportTo } from '../kubernetes/fake-api-server.ts'
import { FaultProxy } from '../faults/fault-proxy.ts'
import { refusal } from '../faults/faults.ts'
import { eventually } from '../support/eventually.ts'
import { manifest } from '../support/manifests.ts'
import { call, type Outcome } from './terminal.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const WEB = '/apis/apps/v1/namespaces/default/deployments/web'
const LEASE_TIMES = { duration: '2s', renew: '1s', retry: '200ms' }
const STANDS_BY = 'stands by until `dormouse release --undo`: nothing is automatic\n'
const LEASE = '/apis/coordination.k8s.io/v1/namespaces/default/leases/dormouse'

describe('dormouse release --all', function () {
  // A busy machine makes the elections slow.
  this.timeout(180_000)
  const at = temporaryFolder()
  let sandbox: SandboxCluster
  let proxy: FaultProxy
  let transport: HttpTransport
  let running: LeaderElection[]
  let logged: string

  beforeEach(async () => {
    sandbox = new SandboxCluster({ port: 0, clock: () => Date.now(), readyAfterMs: 10, onRequest: () => {} })
    await sandbox.start()
    transport = transportTo(new URL(sandbox.url))
    running = []
    logged = ''
    await writeFile(at('kubeconfig'), sandbox.kubeconfig())
    proxy = await FaultProxy.before(at('kubeconfig'))
    await writeFile(at('config.yaml'), JSON.stringify({ controller: { lease: LEASE_TIMES } }))
    const marks = {
      annotations: { 'dormouse.dev/enabled': 'true' },
      labels: { 'dormouse.dev/asleep': '3' },
    }
    await send('POST', dirname(WEB), manifest('deployments', 'web', { replicas: 0, ...marks }))
  })

  afterEach(async () => {
    for (const election of running) await election.stop()
    await transport.close()
    await proxy.stop()
    await sandbox.stop()
  })

  const send = async (method: 'GET' | 'POST', path: string, body?: unknown) => {
    const answer = await request(sandbox.url + path, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return (await answer.body.json()) as {
      code?: number
      metadata: { annotations?: object; labels?: object }
      data?: Readonly<Record<string, string>>
      spec: { replicas?: number; holderIdentity?: string; leaseDurationSeconds?: number }
    }
  }

  const release = (kubeconfig = proxy.kubeconfig, ...more: string[]): Promise<Outcome> =>
    call(
      (program, ports) =>
        registerRelease(program, {
          ...ports,
          // By a clock that stands still no candidate sees the Lease renewed.
          clock: Date.now,
          logDestination: { write: (line) => void (logged += line) },
        }),
      ['release', '--all', '--yes', '--kubeconfig', kubeconfig, '--config', at('config.yaml'), ...more],
    )

  const undo = (): Promise<Outcome> =>
    call(registerRelease, [
      ...['release', '--undo', '--kubeconfig', proxy.kubeconfig, '--config', at('config.yaml')],
    ])

  /** The line that comes before all others. */
  const cluster = () => `cluster ${new URL(proxy.url).origin} (context dormouse-sandbox)\n`

  /** A service's leader that notes how many replicas it saw whenever it starts and stops. */
  const aLeader = async (seen: string[]) => {
    const client = new KubernetesClient({ transport, observer: new RecordingObserver() })
    const note = async (what: string) => {
      const { spec } = await send('GET', WEB)
      seen.push(`${what} at ${spec.replicas} replicas`)
    }
    const election = new LeaderElection({
      lease: new LeaseObjects({ client, namespace: 'default', name: 'dormouse', creatable: true }),
      identity: 'the service',
      leaseDuration: 2000,
      renewDeadline: 1000,
      retryPeriod: 200,
      clock: () => Date.now(),
      logger: silentLogger,
      leading: [{ name: 'work', start: () => note('starts'), stop: () => note('stops') }],
      observer: { lead: () => {} },
    })
    running.push(election)
    await election.start()
  }

  it('wakes what is asleep, removes every mark and the webhook configuration, and marks the Lease as released', async () => {
    const collection = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations'
    await send('POST', collection, { metadata: { name: 'dormouse' }, webhooks: [] })
    const dry = await release(proxy.kubeconfig, '--dry-run')
    expect(dry.out).to.equal('deployments/default/web\n1 workload would be released\n')
    expect((await send('GET', WEB)).spec.replicas).to.equal(0)
    expect(await send('GET', LEASE)).to.have.property('code', 404)
    const { code, out } = await release()
    expect([code, out]).to.deep.equal([
      0,
      `deployments/default/web\n1 workload released\nNo running service was seen; one that is started ${STANDS_BY}`,
    ])
    const { metadata, spec } = await send('GET', WEB)
    expect(spec.replicas).to.equal(3)
    expect(JSON.stringify([metadata.annotations, metadata.labels])).not.to.include('dormouse.dev/')
    expect(await send('GET', `${collection}/dormouse`)).to.have.property('code', 404)
    const { holderIdentity, leaseDurationSeconds } = (await send('GET', LEASE)).spec
    expect(holderIdentity).to.equal('released by sandbox-admin')
    expect(leaseDurationSeconds).to.equal(3600)
  })

  it('asks first, with cluster and counts, and changes nothing unless the person agrees', async () => {
    const asked = async (ask?: (question: string) => Promise<string>) => {
      const { code, err } = await call(
        (program, ports) => registerRelease(program, { ...ports, ask }),
        ['release', '--all', '--kubeconfig', proxy.kubeconfig, '--config', at('config.yaml')],
      )
      return { code, err: err.slice(cluster().length), replicas: (await send('GET', WEB)).spec.replicas }
    }
    const where = cluster().slice('cluster '.length).trim()
    const question = `Release 1 workload (1 asleep) in all namespaces, cluster ${where}?`
    expect(await asked()).to.deep.equal({
      code: 2,
      err: `error: ${question} There is no terminal to ask at: add --yes if that is meant\n`,
      replicas: 0,
    })
    const heard: string[] = []
    const answering = (answer: string) => asked(async (text) => (heard.push(text), answer))
    expect(await answering('')).to.deep.equal({ code: 1, err: 'error: nothing was changed\n', replicas: 0 })
    expect(await answering('y')).to.deep.equal({ code: 0, err: '', replicas: 3 })
    expect(heard).to.deep.equal([`${question} [y/N] `, `${question} [y/N] `])
  })

  it('does not delete the webhook configuration where the webhook is switched off: it may lack the right', async () => {
    proxy.onCall({ resource: 'mutatingwebhookconfigurations', times: Infinity }, refusal(403))
    expect((await release()).code).to.equal(1)
    const config = { controller: { lease: LEASE_TIMES }, webhook: { enabled: false } }
    await writeFile(at('config.yaml'), JSON.stringify(config))
    const { code, err } = await release()
    expect([code, err]).to.deep.equal([0, cluster()])
  })

  it('takes the Lease from a running service, says so, and acts only after that one has stopped', async () => {
    const seen: string[] = []
    await aLeader(seen)
    const { code, out } = await release()
    expect(code).to.equal(0)
    expect(out).to.match(
      /^The Lease was taken from the leader the service: waiting 2 s until it has stopped\n/,
    )
    // On a busy machine it may have lost the short Lease, and got it back, before.
    expect(new Set(seen)).to.deep.equal(new Set(['starts at 0 replicas', 'stops at 0 replicas']))
    expect(seen.at(-1)).to.equal('stops at 0 replicas')
    expect((await send('GET', WEB)).spec.replicas).to.equal(3)
    expect(out.split('\n').at(-2)).to.equal(`The service still runs and ${STANDS_BY}`.trim())
  })

  it('keeps the service from leading until `release --undo`, which says what comes next', async () => {
    const seen: string[] = []
    await aLeader(seen)
    const settings = '/api/v1/namespaces/kube-public/configmaps'
    const published = async () => (await send('GET', `${settings}/dormouse`)).data
    await release()
    expect(await published())
      .to.have.property('released')
      .that.matches(/^\{"by":"sandbox-admin","since":".+Z"\}$/)
    // The service reads the Lease ten times a second, and held it for 2 s.
    await pause(4000)
    expect(seen).to.deep.equal(['starts at 0 replicas', 'stops at 0 replicas'])
    const undone = await undo()
    expect(undone.code).to.equal(0)
    expect(undone.out).to.match(
      /^No longer released \(by sandbox-admin since 20\S+Z\): a running service leads/,
    )
    expect(await published()).not.to.have.property('released')
    await eventually('the service to lead', async () => expect(seen.at(2)).to.equal('starts at 3 replicas'))
    expect((await undo()).out).to.equal('nothing was changed: this cluster is not released\n')
  })

  it('says at the question and at the end that a service of an earlier release leads again', async () => {
    const now = new Date().toISOString().replace('Z', '000Z')
    const spec = { holderIdentity: 'old-7d9_1', leaseDurationSeconds: 2, acquireTime: now, renewTime: now }
    await send('POST', dirname(LEASE), { metadata: { name: 'dormouse' }, spec })
    const { err } = await call(registerRelease, [
      ...['release', '--all', '--kubeconfig', proxy.kubeconfig, '--config', at('config.yaml')],
    ])
    expect(err).to.include(' The service (old-7d9_1 leads) then stands by until `dormouse release --undo`')
    expect((await release()).out).to.match(
      /The service has not answered: if it is of an earlier release and still runs, it leads again in an hour\. Stop it first\n$/,
    )
  })

  it('finds the Lease of a service that runs in another namespace than the context names', async () => {
    await send('POST', '/api/v1/namespaces', { metadata: { name: 'sleepers' } })
    const theirs = LEASE.replace('/default/', '/sleepers/')
    await send('POST', dirname(theirs), { metadata: { name: 'dormouse' } })
    expect((await release()).code).to.equal(0)
    expect((await send('GET', theirs)).spec.holderIdentity).to.equal('released by sandbox-admin')
    expect(await send('GET', LEASE)).to.have.property('code', 404)
    await send('POST', dirname(LEASE), { metadata: { name: 'dormouse' } })
    const { code, err } = await release()
    expect([code, err]).to.deep.equal([
      2,
      `${cluster()}error: the namespaces default, sleepers have a Lease dormouse each: ` +
        "name the service's one, DORMOUSE_CONTROLLER_LEASE_NAMESPACE=default\n",
    ])
  })

  it('stays released where some workloads could not be written', async () => {
    proxy.onCall({ verb: 'patch', resource: 'deployments', times: Infinity }, refusal(403))
    const { code, err } = await release()
    expect(code).to.equal(1)
    expect(err).to.include('1 workload could not be released: run this again')
    expect((await send('GET', LEASE)).spec.holderIdentity).to.equal('released by sandbox-admin')
  })

  it('leaves excluded namespaces alone, and names what is asleep there', async () => {
    const excluded = { controller: { lease: LEASE_TIMES }, excludeNamespaces: ['monitoring'] }
    await writeFile(at('config.yaml'), JSON.stringify(excluded))
    await send('POST', '/api/v1/namespaces', { metadata: { name: 'monitoring' } })
    const inside = (namespace: string) => `/apis/apps/v1/namespaces/${namespace}/deployments`
    const marked = { 'dormouse.dev/enabled': 'true' }
    await send('POST', inside('kube-system'), manifest('deployments', 'dns', { annotations: marked }))
    const labels = { 'dormouse.dev/asleep': '2' }
    await send('POST', inside('monitoring'), manifest('deployments', 'grafana', { replicas: 0, labels }))
    const before = await send('GET', `${inside('monitoring')}/grafana`)

    const { code, out, err } = await release()
    expect(out).to.match(/^deployments\/default\/web\n1 workload released\nNo running service was seen; /)
    expect(err).to.equal(
      `${cluster()}left as it is, in an excluded namespace: deployments/kube-system/dns\n` +
        'left asleep, in an excluded namespace: deployments/monitoring/grafana\n' +
        'error: 1 workload sleeps in an excluded namespace: take that out of excludeNamespaces and run this again, ' +
        'or scale it by hand and remove its label dormouse.dev/asleep\n',
    )
    expect(code).to.equal(1)
    expect(await send('GET', `${inside('monitoring')}/grafana`)).to.deep.equal(before)
    expect((await send('GET', `${inside('kube-system')}/dns`)).metadata.annotations).to.deep.include(marked)
  })

  it('changes nothing and fails where its Job cannot prove an uninstall, and says how to go on', async () => {
    const before = await send('GET', WEB)
    const { code, out, err } = await release(
      proxy.kubeconfig,
      '--only-in-uninstall',
      'default/dormouse-release',
    )
    expect({ code, out }).to.deep.equal({ code: 1, out: '' })
    expect(err).to.include('nothing was changed: Job default/dormouse-release acts in an uninstall by Helm')
    expect(err).to.include('release.unconditional=true')
    expect(await send('GET', WEB)).to.deep.equal(before)
    expect((await release(proxy.kubeconfig, '--only-in-uninstall', 'dormouse-release')).code).to.equal(2)
  })

  it('prints why listing fails, each reason once, as plain text', async () => {
    proxy.onCall({ verb: 'list', resource: 'daemonsets', times: 2 }, refusal(403))
    const { code, err } = await release()
    expect(err).to.equal(
      `${cluster()}warning: a watch or list failed and is tried again (daemonsets): ` +
        'list /apis/apps/v1/daemonsets: the cluster refused: a fault on demand: 403\n',
    )
    expect({ code, logged }).to.deep.equal({ code: 0, logged: '' })
  })

  for (const [status, right] of [
    [403, 'the account needs the rights list and watch of daemonsets in every namespace'],
    [401, 'check the credentials of the context'],
  ] as const) {
    it(`gives up when the cluster answers ${status} to three lists of a kind, and says what is missing`, async () => {
      proxy.onCall({ verb: 'list', resource: 'daemonsets', times: Infinity }, refusal(status))
      const { code, err } = await release()
      expect(err.split('\n').at(-2))
        .to.match(
          /^error: the cluster at .* refused three times to list or watch daemonsets: a fault on demand/,
        )
        .and.include(`${status}. Nothing was changed: ${right}`)
      expect(code).to.equal(1)
      expect((await send('GET', WEB)).spec.replicas).to.equal(0)
      expect(await send('GET', LEASE)).to.have.property('code', 404)
    })
  }
})
