import { randomBytes } from 'node:crypto'
import { dirname } from 'node:path/posix'
import { expect } from 'chai'
import { ANNOTATION, keyOf } from '../../src/domain/workload/workload.ts'
import { checkedAgainst } from '../cli/checking.ts'
import { describeOn } from '../support/clusters.ts'
import { manifest } from '../support/manifests.ts'
import { awakeNow } from '../support/schedules.ts'
import { createNamespace } from '../support/served.ts'

// The sandbox has neither Services nor validating webhooks.
describeOn('dormouse check, of an admission webhook', function (on) {
  this.timeout(60_000)
  const run = randomBytes(3).toString('hex')
  const namespace = `check-guard-${run}`
  const configuration = `/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/guard-${run}`
  const base = `/api/v1/namespaces/${namespace}`

  before(async () => {
    await createNamespace(on(), namespace)
    const annotations = { [ANNOTATION.enabled]: 'true', [ANNOTATION.schedule]: awakeNow() }
    await on().admin.expect('PATCH', base, { metadata: { annotations } })
    await on().create(
      namespace,
      ['a', 'b'].flatMap((name) =>
        (['deployments', 'statefulsets'] as const).map((kind) => manifest(kind, name)),
      ),
    )
    const service = {
      metadata: { name: 'guard' },
      spec: { selector: { app: 'a' }, ports: [{ port: 443 }] },
    }
    await on().admin.expect('POST', `${base}/services`, service)
    // A resource that does not exist: the tests beside this one are not to notice.
    const rule = {
      apiGroups: ['none.example.com'],
      apiVersions: ['*'],
      resources: ['*'],
      operations: ['*'],
    }
    await on().admin.expect('POST', dirname(configuration), {
      metadata: { name: `guard-${run}` },
      webhooks: [
        {
          name: `guard-${run}.example.com`,
          rules: [rule],
          clientConfig: { service: { namespace, name: 'guard' } },
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
        },
      ],
    })
  })

  after(async () => {
    await on().admin.send('DELETE', configuration)
    await on().admin.send('DELETE', base)
  })

  it('warns of the workloads that answer it, and of no other', async () => {
    const { needed, unseen, code } = await checkedAgainst(on().adminKubeconfig, {})
    expect(unseen).to.deep.equal([])
    const ours = needed.filter((each) => each.namespace === namespace)
    expect(ours.map(keyOf)).to.deep.equal([`deployments/${namespace}/a`, `statefulsets/${namespace}/a`])
    expect(ours[0]?.answers).to.equal(`webhook guard-${run}.example.com`)
    expect(code).to.equal(1)
  })
})
