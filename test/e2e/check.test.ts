import { randomBytes } from 'node:crypto'
import { dirname } from 'node:path/posix'
import { expect } from 'chai'
import type { Expected } from '../../src/domain/records/forecast.ts'
import { ANNOTATION, ASLEEP_LABEL, keyOf, SNOOZE_KEY, type Kind } from '../../src/domain/workload/workload.ts'
import { apiVersionOf } from '../../src/domain/kinds.ts'
import { checkedAgainst } from '../service/cli/checking.ts'
import { describeOn } from '../support/clusters.ts'
import { Dormouse, type Settings } from '../support/dormouse.ts'
import { eventually } from '../support/eventually.ts'
import type { KubectlObject } from '../support/kubectl.ts'
import { manifest } from '../support/manifests.ts'
import { asleepNow, awakeNow } from '../support/schedules.ts'
import { createNamespace } from '../support/served.ts'

const KINDS: readonly Kind[] = ['deployments', 'statefulsets', 'cronjobs']

describeOn('dormouse check --against-cluster', function (on) {
  this.timeout(240_000)
  const run = randomBytes(3).toString('hex')
  const [dev, night, plain] = ['dev', 'night', 'plain'].map((name) => `check-${name}-${run}`) as [
    string,
    string,
    string,
  ]
  let dormouse: Dormouse | undefined

  before(async () => {
    for (const name of [dev, night, plain]) await createNamespace(on(), name)
    await on().admin.expect('PATCH', `/api/v1/namespaces/${night}`, {
      metadata: { annotations: { [ANNOTATION.enabled]: 'true', [ANNOTATION.schedule]: asleepNow() } },
    })
    const many = KINDS.flatMap((kind) => ['a', 'b'].map((name) => manifest(kind, name, { replicas: 2 })))
    const own = [
      manifest('deployments', 'out', { annotations: { [ANNOTATION.enabled]: 'false' } }),
      manifest('deployments', 'mistyped', { annotations: { [ANNOTATION.schedule]: '8-18' } }),
    ]
    await on().create(dev, [...many, ...own])
    await on().create(night, [...many, ...own])
    const annotations = { [ANNOTATION.enabled]: 'true', [ANNOTATION.schedule]: asleepNow() }
    const alone = [
      manifest('deployments', 'own', { annotations }),
      manifest('replicasets', 'rs', { annotations }),
    ]
    await on().create(plain, [...alone, ...many])
  })

  after(async () => {
    await dormouse?.stop()
    for (const name of [dev, night, plain]) await on().admin.send('DELETE', `/api/v1/namespaces/${name}`)
  })

  const settings = (policy: object): Settings => ({
    newWorkloadGrace: '0s',
    policies: [
      { name: 'dev', namespaces: { names: [dev] }, workloads: { kinds: KINDS }, enabled: true, ...policy },
    ],
  })

  /** The command's forecast for these tests' workloads; two settings among them are invalid. */
  const foretold = async (config: Settings): Promise<Expected[]> => {
    const { workloads, code } = await checkedAgainst(on().dormouseKubeconfig, config)
    expect(code).to.equal(1)
    return workloads.filter(({ namespace }) => namespace.endsWith(run))
  }

  /** The workloads that sleep, by their marks. */
  const asleep = async (): Promise<string[]> => {
    const found: string[] = []
    for (const namespace of [dev, night, plain])
      for (const kind of [...KINDS, 'replicasets'] as const) {
        const path = `/apis/${apiVersionOf(kind)}/namespaces/${namespace}/${kind}`
        const { items } = (await on().admin.expect('GET', path)) as unknown as { items: KubectlObject[] }
        for (const { metadata, spec } of items)
          if (
            metadata.labels?.[ASLEEP_LABEL] !== undefined ||
            spec.template?.spec.nodeSelector?.[SNOOZE_KEY] !== undefined
          )
            found.push(keyOf({ kind, namespace, name: metadata.name }))
      }
    return found.toSorted()
  }

  const comesTrue = async (expected: readonly Expected[]) => {
    const sleepers = expected.filter(({ after }) => after === 'asleep').map(keyOf)
    await eventually('the forecast to come true', async () =>
      expect(await asleep()).to.deep.equal(sleepers.toSorted()),
    )
  }

  it('changes nothing, and foretells what Dormouse then does to each workload', async () => {
    const config = settings({ schedule: asleepNow() })
    const since = Date.now()
    const expected = await foretold(config)
    const verbs = (await on().requestsSince(since)).map(({ verb }) => verb)
    expect(verbs).to.include('list')
    expect(verbs.filter((verb) => verb === 'patch' || verb === 'create')).to.deep.equal([])
    expect(await asleep()).to.deep.equal([])
    expect(expected.filter(({ change }) => change === 'snooze')).to.have.length(12)
    dormouse = await Dormouse.start(on(), config)
    await comesTrue(expected)
  })

  it('foretells what another configuration would wake, and put to sleep', async () => {
    await dormouse?.terminate()
    const annotations = { [ANNOTATION.enabled]: 'true', [ANNOTATION.schedule]: asleepNow() }
    await on().admin.expect('PATCH', `/api/v1/namespaces/${plain}`, { metadata: { annotations } })
    const config = settings({ schedule: awakeNow() })
    const expected = await foretold(config)
    const woken = expected.filter(({ change }) => change === 'wake')
    expect(woken.map(({ namespace }) => namespace)).to.deep.equal(Array.from({ length: 6 }, () => dev))
    expect(expected.filter(({ change }) => change === 'snooze')).to.have.length(4)
    await dormouse?.start(config)
    await comesTrue(expected)
  })
})

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
    // Of no resource that there is: the tests beside this one are not to notice.
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
