import { expect } from 'chai'
import type { ConfiguredKind } from '../../src/domain/kinds.ts'
import { findApiExtensions } from '../../src/kubernetes/api-extensions.ts'
import type { Call } from '../../src/kubernetes/api-calls.ts'
import { KindNotServed } from '../../src/kubernetes/configured-kinds.ts'
import { refusalOf } from '../../src/kubernetes/failures.ts'

const ADMISSION = '/apis/admissionregistration.k8s.io/v1'
const MUTATING = `${ADMISSION}/mutatingwebhookconfigurations`
const VALIDATING = `${ADMISSION}/validatingwebhookconfigurations`
const ROLLOUTS = 'rollouts.argoproj.io'
const API_SERVICES = '/apis/apiregistration.k8s.io/v1/apiservices'

const webhook = (name: string, service: string, failurePolicy?: string) => ({
  name,
  failurePolicy,
  clientConfig: { service: { namespace: 'policy', name: service } },
})
const configuration = (name: string, ...webhooks: object[]) => ({ metadata: { name }, webhooks })
const workload = (name: string, labels: object) => ({
  metadata: { name },
  spec: { template: { metadata: { labels } } },
})

describe('the workloads behind webhooks and APIServices', () => {
  let answers: Record<string, unknown>

  beforeEach(() => {
    answers = {
      [VALIDATING]: {
        items: [
          configuration(
            'guard',
            webhook('pods.example.com', 'guard', 'Fail'),
            webhook('soft.example.com', 'soft', 'Ignore'),
          ),
        ],
      },
      [API_SERVICES]: {
        items: [
          { metadata: { name: 'v1.' }, spec: {} },
          {
            metadata: { name: 'v1.metrics.example.com' },
            spec: { service: { namespace: 'policy', name: 'metrics' } },
          },
        ],
      },
      '/api/v1/namespaces/policy/services/guard': { spec: { selector: { app: 'guard' } } },
      '/api/v1/namespaces/policy/services/soft': { spec: { selector: { app: 'soft' } } },
      '/api/v1/namespaces/policy/services/metrics': { spec: { selector: { app: 'metrics' } } },
      '/apis/apps/v1/namespaces/policy/deployments': {
        items: [workload('guard', { app: 'guard', more: 'x' }), workload('soft', { app: 'soft' })],
      },
      '/apis/apps/v1/namespaces/policy/statefulsets': { items: [workload('metrics', { app: 'metrics' })] },
    }
  })

  const find = (...kinds: ConfiguredKind[]) =>
    findApiExtensions(
      {
        async call<Answer>({ path, method }: Call): Promise<Answer> {
          expect(method).to.equal('GET')
          const answer = answers[path]
          if (typeof answer === 'number') throw refusalOf(`list ${path}`, answer, { message: 'you may not' })
          if (answer === undefined) throw refusalOf(`list ${path}`, 404, {})
          return answer as Answer
        },
      },
      {
        kinds,
        async baseOf(kind) {
          if (kind === ROLLOUTS) return '/apis/argoproj.io/v1alpha1'
          throw new KindNotServed(kind)
        },
      },
      new AbortController().signal,
    )

  it('are found by the Services that these name; a webhook that may fail needs none', async () => {
    const { needed, unseen } = await find()
    expect(needed.map((each) => `${each.kind}/${each.name}: ${each.answers}`)).to.deep.equal([
      'deployments/guard: webhook pods.example.com',
      'statefulsets/metrics: APIService v1.metrics.example.com',
    ])
    expect(unseen).to.deep.equal([])
  })

  it('are found among configured kinds, too: by their template, else by the selector of their scale', async () => {
    const rollouts = '/apis/argoproj.io/v1alpha1/namespaces/policy/rollouts'
    answers['/apis/apps/v1/namespaces/policy/deployments'] = { items: [] }
    answers[rollouts] = {
      items: [
        workload('guard', { app: 'guard' }),
        workload('other', { app: 'other' }),
        { metadata: { name: 'by-reference' }, spec: { workloadRef: { name: 'guard' } } },
        { metadata: { name: 'without-a-scale' }, spec: {} },
        { metadata: { name: 'for-another' }, spec: {} },
      ],
    }
    answers[`${rollouts}/by-reference/scale`] = { status: { selector: 'app==guard,tier in (a,b)' } }
    answers[`${rollouts}/for-another/scale`] = { status: { selector: 'app=other' } }
    const { needed, unseen } = await find(ROLLOUTS, 'wheels.cars.example.com')
    expect(needed.map((each) => `${each.kind}/${each.name}: ${each.answers}`)).to.deep.equal([
      'rollouts.argoproj.io/guard: webhook pods.example.com',
      'rollouts.argoproj.io/by-reference: webhook pods.example.com',
      'statefulsets/metrics: APIService v1.metrics.example.com',
    ])
    expect(unseen).to.deep.equal([])
  })

  it("leave Dormouse's own webhook out, which tells its namespace", async () => {
    answers[MUTATING] = { items: [configuration('dormouse', webhook('guard.dormouse.dev', 'guard'))] }
    answers[VALIDATING] = { items: [] }
    const { needed, ownNamespace } = await find()
    expect(ownNamespace).to.equal('policy')
    expect(needed.map(({ name }) => name)).to.deep.equal(['metrics'])
  })

  it('tell of a missing right, and go on', async () => {
    answers[VALIDATING] = 403
    const { needed, unseen } = await find()
    expect(unseen).to.deep.equal([`list ${VALIDATING}: the cluster refused: you may not`])
    expect(needed.map(({ name }) => name)).to.deep.equal(['metrics'])
  })
})
