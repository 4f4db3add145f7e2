import { expect } from 'chai'
import fc from 'fast-check'
import { argoCdHealth } from '../go-programs/argo-cd-health.ts'
import { helm } from '../go-programs/go-program.ts'
import { both, describeWith } from '../suite/need.ts'
import { runProgram } from '../support/kubectl.ts'
import { helmIn } from '../chart/helm.ts'

const KINDS = ['DaemonSet', 'Deployment', 'StatefulSet'] as const
type Kind = (typeof KINDS)[number]
interface Verdict {
  readonly status: string
  readonly message: string
}
interface Subject {
  readonly kind: Kind
  readonly metadata?: object
  readonly spec?: object
  readonly status?: object
}

const count = fc.option(fc.nat(3), { nil: undefined })
const COUNTS = [
  'replicas',
  'updatedReplicas',
  'availableReplicas',
  'readyReplicas',
  'currentReplicas',
  'desiredNumberScheduled',
  'updatedNumberScheduled',
  'numberAvailable',
] as const
const text = fc.constantFrom('web-5f', 'web-6c', undefined)
const subject: fc.Arbitrary<Subject> = fc.record({
  kind: fc.constantFrom(...KINDS),
  metadata: fc.record({ name: fc.constant('web'), generation: fc.nat(2) }),
  spec: fc.record({
    replicas: count,
    paused: fc.constantFrom(true, undefined, undefined),
    updateStrategy: fc.record({
      type: fc.constantFrom('RollingUpdate', 'OnDelete', undefined),
      rollingUpdate: fc.constantFrom({ partition: 0 }, { partition: 1 }, {}, undefined),
    }),
  }),
  status: fc.record({
    ...Object.fromEntries(COUNTS.map((name) => [name, count])),
    observedGeneration: count,
    updateRevision: text,
    currentRevision: text,
    conditions: fc.constantFrom(
      [{ type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded' }],
      [{ type: 'Available', status: 'True', reason: 'ProgressDeadlineExceeded' }],
      undefined,
    ),
  }),
})

describeWith(both(helm, argoCdHealth), "the chart's health checks for Argo CD", ([helmProgram, judge]) => {
  const { template } = helmIn(helmProgram)

  /** The keys and scripts of the ConfigMap. */
  async function checks(health: string) {
    const rendered = await template({ argoCd: { health } })
    return rendered.find(({ metadata }) => metadata.name === 'dormouse-argo-cd')?.data ?? {}
  }

  async function verdicts(scripts: Readonly<Record<string, string>>, subjects: readonly Subject[]) {
    const asked = subjects.map((object) => ({
      script: scripts[`resource.customizations.health.apps_${object.kind}`],
      object: { apiVersion: 'apps/v1', ...object },
    }))
    const { stdout, stderr } = await runProgram(judge, [], { input: JSON.stringify(asked) })
    expect(stderr).to.equal('')
    return JSON.parse(stdout) as { readonly own: Verdict; readonly script: Verdict }[]
  }

  const labels = { 'dormouse.dev/asleep': '3' }
  const annotations = {
    'dormouse.dev/schedule': '8:00-18:00,Mon-Fri',
    'dormouse.dev/timezone': 'Europe/Berlin',
  }
  const metadata = { name: 'web', generation: 4, labels, annotations }
  const sleeper = (kind: Kind, more: Partial<Subject> = {}): Subject => ({
    kind,
    metadata,
    spec: { replicas: 0, template: { spec: { nodeSelector: { 'dormouse.dev/snoozed': 'true' } } } },
    status: { observedGeneration: 4, replicas: 0 },
    ...more,
  })

  it('are not there unless they are asked for', async () => {
    expect(await checks('')).to.deep.equal({})
  })

  it('say of all that does not sleep what Argo CD says', async () => {
    const found = await verdicts(await checks('Healthy'), fc.sample(subject, { numRuns: 300, seed: 7 }))
    for (const { own, script } of found) expect(script).to.deep.equal(own)
    const statuses = new Set(found.map(({ own }) => own.status))
    expect([...statuses]).to.have.members(['Healthy', 'Progressing', 'Degraded', 'Suspended'])
  })

  for (const status of ['Healthy', 'Suspended'])
    it(`call a sleeper ${status}, with what is known of when it is awake`, async () => {
      const pinned = { ...metadata, labels: { ...labels, 'dormouse.dev/held': 'pin' }, annotations: {} }
      const found = await verdicts(await checks(status), [
        ...KINDS.map((kind) => sleeper(kind)),
        sleeper('Deployment', { metadata: pinned }),
        sleeper('StatefulSet', {
          spec: { replicas: 1 },
          status: { observedGeneration: 4, replicas: 1, readyReplicas: 1 },
        }),
      ])
      const hours = 'awake 8:00-18:00,Mon-Fri Europe/Berlin'
      expect(found.map(({ script }) => script)).to.deep.equal([
        { status, message: `asleep; ${hours}` },
        { status, message: `asleep; wakes to 3; ${hours}` },
        { status, message: `asleep; wakes to 3; ${hours}` },
        { status, message: 'pinned asleep; wakes to 3' },
        { status, message: `asleep at 1; wakes to 3; ${hours}` },
      ])
    })

  for (const [what, subject] of [
    [
      'falls asleep',
      sleeper('Deployment', { status: { observedGeneration: 4, replicas: 2, updatedReplicas: 0 } }),
    ],
    ['is paused', sleeper('Deployment', { spec: { replicas: 0, paused: true } })],
    [
      'runs all the same',
      sleeper('StatefulSet', { spec: { replicas: 3 }, status: { observedGeneration: 4, readyReplicas: 3 } }),
    ],
    ['runs all the same', sleeper('DaemonSet', { spec: { template: { spec: {} } } })],
    [
      'has a label that cannot be read',
      sleeper('Deployment', { metadata: { name: 'web', labels: { 'dormouse.dev/asleep': 'yes' } } }),
    ],
  ] as const)
    it(`leave to Argo CD a ${subject.kind} with the label that ${what}`, async () => {
      const [found] = await verdicts(await checks('Suspended'), [subject])
      expect(found?.script).to.deep.equal(found?.own)
    })
})
