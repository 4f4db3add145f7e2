import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Prometheus, prometheus as prometheusProgram } from '../dashboards/prometheus.ts'
import { describeOnWith } from '../support/clusters.ts'
import { eventually } from '../support/eventually.ts'
import { print } from '../support/figures.ts'
import { manifest } from '../support/manifests.ts'
import { createNamespace } from '../support/served.ts'
import { row, writeImpatientRules } from './running.ts'

const NAMESPACE = 'unreachable'
const ALERT = 'DormouseWebhookUnreachable'
const CONFIGURATIONS = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations'
/** Nobody listens there. */
const NOWHERE = 'https://127.0.0.1:9/webhook/scale'

describeOnWith(prometheusProgram, 'the alert on metrics of the API server itself', function (on) {
  this.timeout(120_000)
  let directory: string
  let prometheus: Prometheus

  before('Prometheus scrapes the API server', async () => {
    const { admin, adminKubeconfig } = on()
    await createNamespace(on(), NAMESPACE)
    await on().create(NAMESPACE, [manifest('deployments', 'web')])
    await admin.expect('POST', CONFIGURATIONS, {
      metadata: { name: 'dormouse-unreachable' },
      webhooks: [scaleWebhook()],
    })
    directory = await mkdtemp(join(tmpdir(), 'dormouse-alerts-'))
    const ruleFile = join(directory, 'alerts.yaml')
    await writeImpatientRules(ruleFile)
    const { clusters, users } = JSON.parse(await readFile(adminKubeconfig, 'utf8')) as Kubeconfig
    const { host } = new URL(clusters[0]?.cluster.server ?? '')
    const scrape = {
      scheme: 'https',
      authorization: { credentials: users[0]?.user.token },
      tls_config: { insecure_skip_verify: true },
    }
    prometheus = await Prometheus.start({
      targets: [host],
      interval: 2000,
      ruleFile,
      evaluation: 1,
      scrape,
    })
  })

  after(async () => {
    await prometheus?.stop()
    if (directory) await rm(directory, { recursive: true, force: true })
    await on().admin.send('DELETE', `${CONFIGURATIONS}/dormouse-unreachable`)
    await on().admin.send('DELETE', `/api/v1/namespaces/${NAMESPACE}`)
  })

  it('comes up when the API server cannot reach the webhook', async () => {
    const began = Date.now()
    const since = await eventually(
      ALERT,
      async () => {
        // The API server's counters appear with the first failure; only further ones count as an increase.
        await scaled()
        const active = await prometheus.active()
        return active.find(({ labels }) => labels['alertname'] === ALERT)?.since
      },
      { pause: 2000 },
    )
    print([row(ALERT, "the webhook's URL leads nowhere, and somebody scales every 2 s", since - began)])
  })

  function scaled() {
    const path = `/apis/apps/v1/namespaces/${NAMESPACE}/deployments/web/scale`
    return on().admin.send('PATCH', path, { spec: { replicas: 2 } })
  }
})

interface Kubeconfig {
  readonly clusters: readonly { readonly cluster: { readonly server: string } }[]
  readonly users: readonly { readonly user: { readonly token: string } }[]
}

function scaleWebhook(): object {
  return {
    name: 'held-scale.dormouse.dev',
    clientConfig: { url: NOWHERE },
    rules: [
      { operations: ['UPDATE'], apiGroups: ['apps'], apiVersions: ['v1'], resources: ['deployments/scale'] },
    ],
    namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': NAMESPACE } },
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    failurePolicy: 'Fail',
    timeoutSeconds: 1,
  }
}
