import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { KubernetesClient } from '../../src/kubernetes/client.ts'
import { Credentials } from '../../src/kubernetes/credentials.ts'
import { HttpTransport } from '../../src/kubernetes/http.ts'
import { WebhookRegistration } from '../../src/kubernetes/registration/registration.ts'
import { createLogger } from '../../src/process/logger.ts'
import { issueCa } from '../../src/service/certificates/issue.ts'
import { describeOn } from '../support/clusters.ts'
import { CONFIGURATION, configuration } from '../support/enforced.ts'
import { eventually } from '../support/eventually.ts'
import { manifest } from '../support/manifests.ts'
import { createNamespace } from '../support/served.ts'
import { scopeOf } from '../../src/kubernetes/registration/held-scope.ts'
import { NOTHING_HELD } from '../kubernetes/registration/nothing-held.ts'

const SILENT = { request() {}, watchRestarted() {}, eventDropped() {}, listenerFailed() {} }

describeOn("Dormouse's own Namespace", function (on) {
  this.timeout(90_000)
  const suffix = randomBytes(4).toString('hex')
  const own = `dormouse-${suffix}`
  const others = `e2e-${suffix}`
  let transport: HttpTransport
  let registration: WebhookRegistration

  /** Like the chart inside a cluster: the configuration points to a Service. */
  before(async () => {
    const logger = createLogger('silent')
    const service = { namespace: own, name: 'dormouse', port: 443 }
    await createNamespace(on(), own)
    await createNamespace(on(), others)
    await on().create(others, [manifest('deployments', 'scaled')])
    const clientConfig = { service: { ...service, path: '/webhook/scale' } }
    const rules = [
      {
        apiGroups: ['apps'],
        apiVersions: ['v1'],
        operations: ['UPDATE'],
        resources: ['deployments/scale'],
      },
    ]
    await on().admin.expect('POST', CONFIGURATION.replace(/\/dormouse$/, ''), {
      metadata: { name: 'dormouse' },
      webhooks: [
        {
          name: 'scale.dormouse.dev',
          clientConfig,
          rules,
          failurePolicy: 'Ignore',
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
        },
      ],
    })
    const { cert } = await issueCa(Date.now(), 3_600_000)
    transport = new HttpTransport(new Credentials({ source: { file: on().adminKubeconfig }, logger }))
    registration = new WebhookRegistration({
      client: new KubernetesClient({ transport, observer: SILENT }),
      logger,
      caBundle: () => cert,
      onCaBundle: () => () => {},
      onPublished: () => {},
      onServed: () => () => {},
      held: { ...NOTHING_HELD, scope: () => scopeOf([`deployments/${others}/scaled`]) },
      // There is no pod behind the Service.
      probe: async () => ({ type: 'reached' }),
      onProof: () => {},
      probeNamespace: own,
      url: null,
      service,
      ownNamespace: own,
      excludeNamespaces: [own],
      exemptUsers: [],
    })
    await registration.start()
  })

  after(async () => {
    await registration?.stop()
    await transport?.close()
    await on().admin.send('DELETE', CONFIGURATION)
    for (const name of [own, others]) await on().admin.send('DELETE', `/api/v1/namespaces/${name}`)
  })

  it('removes the webhook when it is deleted: scaling works again', async () => {
    const { kubectl, admin } = on()
    const scale = () => kubectl.attempt(['scale', 'deployment/scaled', '--replicas=2', '-n', others])
    await eventually('scaling to need the webhook', async () => {
      const { webhooks } = await configuration(on())
      return webhooks.some(({ failurePolicy }) => failurePolicy === 'Fail')
    })
    await eventually('the API server to know of it', async () => {
      const { code, stderr } = await scale()
      return code !== 0 && stderr.includes('failed calling webhook')
    })
    await admin.expect('DELETE', `/api/v1/namespaces/${own}`)
    await eventually('scaling to work again', async () => (await scale()).code === 0, {
      pause: 500,
    })
    expect((await admin.send('GET', CONFIGURATION)).status, 'nobody creates it again').to.equal(404)
  })
})
