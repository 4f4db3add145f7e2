import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Expected, Forecast } from '../../src/domain/forecast.ts'
import { ANNOTATION, ASLEEP_LABEL, keyOf, SNOOZE_KEY, type Kind } from '../../src/domain/workload.ts'
import { apiVersionOf } from '../../src/domain/kinds.ts'
import { callCheck } from '../cli/checking.ts'
import { describeOn } from '../support/clusters.ts'
import { Dormouse, type Settings } from '../support/dormouse.ts'
import { eventually } from '../support/eventually.ts'
import type { KubectlObject } from '../support/kubectl.ts'
import { manifest } from '../support/manifests.ts'
import { asleepNow, awakeNow } from '../support/schedules.ts'
import { createNamespace } from '../support/served.ts'

const KINDS: readonly Kind[] = ['deployments', 'statefulsets', 'cronjobs']

describeOn('dormouse check --against-cluster', function (on) {
  this.timeout(180_000)
  const run = randomBytes(3).toString('hex')
  const [dev, night, plain] = ['dev', 'night', 'plain'].map((name) => `check-${name}-${run}`) as [
    string,
    string,
    string,
  ]
  let directory: string
  let dormouse: Dormouse | undefined

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'dormouse-check-'))
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
    await rm(directory, { recursive: true })
    for (const name of [dev, night, plain]) await on().admin.send('DELETE', `/api/v1/namespaces/${name}`)
  })

  const settings = (policy: object): Settings => ({
    newWorkloadGrace: '0s',
    policies: [
      { name: 'dev', namespaces: { names: [dev] }, workloads: { kinds: KINDS }, enabled: true, ...policy },
    ],
  })

  /** What the command foretells of these tests' workloads. */
  const foretold = async (config: Settings): Promise<Expected[]> => {
    const { workloads } = await checked(config, on().dormouseKubeconfig)
    return workloads.filter(({ namespace }) => namespace.endsWith(run))
  }

  const checked = async (config: Settings, kubeconfig: string): Promise<Forecast & { unseen: string[] }> => {
    const file = join(directory, 'config.yaml')
    await writeFile(file, JSON.stringify(config))
    const { code, out, err } = await callCheck(
      file,
      '--against-cluster',
      '--kubeconfig',
      kubeconfig,
      '--output',
      'json',
    )
    expect(code, err).to.equal(0)
    return (JSON.parse(out) as { cluster: Forecast & { unseen: string[] } }).cluster
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
    await eventually(
      'the forecast to come true',
      async () => expect(await asleep()).to.deep.equal(sleepers.toSorted()),
      { timeout: 60_000 },
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

  it('warns of workloads behind an admission webhook', async function () {
    // The sandbox has no Services.
    if (!on().isReal) return
    const { admin } = on()
    const collection = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations'
    const ports = [{ port: 443 }]
    await admin.expect('POST', `/api/v1/namespaces/${night}/services`, {
      metadata: { name: 'guard' },
      spec: { selector: { app: 'a' }, ports },
    })
    await admin.expect('POST', collection, {
      metadata: { name: `guard-${run}` },
      webhooks: [
        {
          name: `guard-${run}.example.com`,
          // Of no resource that there is: the tests beside this one are not to notice.
          rules: [
            { apiGroups: ['none.example.com'], apiVersions: ['*'], resources: ['*'], operations: ['*'] },
          ],
          clientConfig: { service: { namespace: night, name: 'guard' } },
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
        },
      ],
    })
    try {
      const { needed, unseen } = await checked(settings({ schedule: awakeNow() }), on().adminKubeconfig)
      expect(unseen).to.deep.equal([])
      const ours = needed.filter(({ namespace }) => namespace === night)
      expect(ours.map(keyOf)).to.deep.equal([`deployments/${night}/a`, `statefulsets/${night}/a`])
      expect(ours[0]?.answers).to.equal(`webhook guard-${run}.example.com`)
    } finally {
      await admin.expect('DELETE', `${collection}/guard-${run}`)
    }
  })
})
