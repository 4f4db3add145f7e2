import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { loadConfig } from '../../src/service/config/config.ts'
import { KubernetesClient } from '../../src/kubernetes/client.ts'
import { Credentials } from '../../src/kubernetes/credentials.ts'
import { HttpTransport } from '../../src/kubernetes/http.ts'
import { WebhookRegistration } from '../../src/kubernetes/registration/registration.ts'
import { createLogger } from '../../src/service/process/logger.ts'
import { issueCa } from '../../src/service/certificates/issue.ts'
import { EXEMPT_USERS } from '../../src/service/webhook/decide.ts'
import { describeOnWith } from '../support/clusters.ts'
import { CONFIGURATION } from '../support/enforced.ts'
import { eventually } from '../support/eventually.ts'
import { accountKubeconfig } from './beside.ts'
import { CHART, helmIn, type Manifest } from './helm.ts'
import { isInForce, trusted } from './webhooks.ts'
import { NOTHING_HELD } from '../kubernetes/registration/nothing-held.ts'
import { helm } from '../go-programs/go-program.ts'

const SILENT = { request() {}, watchRestarted() {}, eventDropped() {}, listenerFailed() {} }

/** A cluster has one release that publishes: here that of the account that all tests share. */
const BESIDE = { publish: { enabled: false } }

/** The parts of the object that the tests read. */
interface Live extends Manifest {
  readonly metadata: Manifest['metadata'] & {
    readonly generation: number
    readonly ownerReferences?: readonly object[]
  }
}

describeOnWith(helm, 'the chart inside a cluster', function (on, program) {
  this.timeout(180_000)
  const namespace = `chart-${randomBytes(4).toString('hex')}`
  const release = { name: namespace, namespace }
  const account = `${namespace}-dormouse`
  const { run, attempt, template } = helmIn(program, () => on().adminKubeconfig)
  let transport: HttpTransport | undefined
  let registration: WebhookRegistration | undefined
  let rendered: Manifest[] = []
  let ca = ''

  /** Runs what `serve` would run there as the leader; only the pod's address cannot be reached. */
  before('installed by default values, and led under its own account', async () => {
    await run(['install', release.name, CHART, '-n', namespace, '--create-namespace'], BESIDE)
    rendered = await template(BESIDE, release)
    const text = rendered.find(({ data }) => data?.['config.yaml'])?.data?.['config.yaml']
    const { excludeNamespaces, webhook } = loadConfig({ text, environment: {} })
    const logger = createLogger('silent')
    const file = await accountKubeconfig(on(), namespace, account)
    transport = new HttpTransport(new Credentials({ source: { file }, logger }))
    ca = (await issueCa(Date.now(), 3_600_000)).cert
    registration = new WebhookRegistration({
      client: new KubernetesClient({ transport, observer: SILENT }),
      logger,
      caBundle: () => ca,
      onCaBundle: () => () => {},
      onPublished: () => {},
      onServed: () => () => {},
      held: NOTHING_HELD,
      // There is no pod behind the Service.
      probe: async () => ({ type: 'reached' }),
      onProof: () => {},
      probeNamespace: namespace,
      url: null,
      service: { namespace, name: webhook.service, port: 9443 },
      ownNamespace: namespace,
      excludeNamespaces: [...excludeNamespaces, namespace],
      exemptUsers: EXEMPT_USERS,
      ownUser: `system:serviceaccount:${namespace}:${account}`,
    })
  })

  after('nothing stays behind', async () => {
    await registration?.stop()
    await transport?.close()
    await attempt(['uninstall', release.name, '-n', namespace, '--no-hooks'])
    await on().admin.expect('DELETE', `/api/v1/namespaces/${namespace}`)
  })

  const live = async () => (await on().admin.expect('GET', CONFIGURATION)) as unknown as Live
  const inForce = () =>
    eventually('the leader to have put it right', async () => {
      const object = await live()
      return isInForce(object) && object
    })

  it('is given a CA, an owner and Fail by its leader in two writes, and nothing else', async () => {
    const installed = await live()
    expect(isInForce(installed)).to.equal(false)
    await registration?.start()
    const { metadata, webhooks } = await inForce()
    expect(metadata.ownerReferences).to.have.length(1)
    expect(metadata.ownerReferences?.[0]).to.include({ kind: 'Namespace', name: namespace })
    expect(trusted(await live())).to.equal(ca)
    expect(installed).to.not.have.property('webhooks')
    expect(webhooks).to.have.length(5)
    expect(metadata.generation - installed.metadata.generation, 'writes').to.equal(2)
  })

  it('is left as it is by an upgrade', async () => {
    const before = await live()
    await run(['upgrade', release.name, CHART, '-n', namespace], BESIDE)
    const { metadata, webhooks } = await inForce()
    expect(webhooks).to.deep.equal(before.webhooks)
    expect(metadata.ownerReferences).to.deep.equal(before.metadata.ownerReferences)
    expect(metadata.generation, 'no write').to.equal(before.metadata.generation)
  })
})
