import { expect } from 'chai'
import { Agent, request } from 'undici'
import { ANNOTATION } from '../../src/domain/workload/workload.ts'
import type { ReviewAnswer } from '../../src/service/webhook/answer.ts'
import { describeOn } from '../support/clusters.ts'
import { enforced } from '../support/enforced.ts'
import { eventually } from '../support/eventually.ts'
import { changing, reviewBody, scaling } from '../support/reviews.ts'

const CFO = 'cfo@example.com'

/** Reviews from a stranger's pod to the port of the webhook, which does not authenticate senders. */
describeOn('forged reviews', function (on) {
  this.timeout(120_000)
  const policies = [{ name: 'dev', namespaces: { names: ['e2e-*'] }, enabled: true, schedule: '9:00-9:30' }]
  const here = enforced(on, { settings: { policies } })
  const dispatcher = new Agent({ connect: { rejectUnauthorized: false } })

  after(() => dispatcher.destroy())

  async function forge(port: number, path: string, review: object): Promise<ReviewAnswer['response']> {
    const url = `https://127.0.0.1:${port}/webhook/${path}`
    const { body } = await request(url, { method: 'POST', body: reviewBody(review), dispatcher })
    return ((await body.json()) as ReviewAnswer).response
  }

  it('put no name into the history that looks like a user of the cluster, with two replicas', async () => {
    const { port, dormouse } = await here.joined()
    const workload = await here.asleep('deployments', 'api', { replicas: 3 })
    const asleep = await here.get('deployments', 'api')
    const { uid, resourceVersion, namespace, name } = asleep.metadata
    const copy = { kind: 'deployments', namespace, name, uid, resourceVersion, replicas: 0 } as const
    // To the leader, which writes the history, while the real review goes to the other replica.
    const forged = scaling(copy, 2, { userInfo: { username: CFO }, options: {} })
    expect(await forge(here.port, 'scale', forged)).to.include({ allowed: true })
    here.balancer.to([port], { cut: true })
    try {
      expect((await here.scale('deployments', 'api', 2)).status).to.equal(200)
      const wake = await eventually('the wake to be recorded', async () => {
        const [latest] = (await workload.status()).operation_history
        return latest?.trigger === 'manual' && latest
      })
      expect(wake.by).to.match(/^(review|manager):/)
      expect(dormouse.isRunning).to.equal(true)
    } finally {
      here.balancer.to([here.port], { cut: true })
    }
  })

  it('learn nothing of the settings of any namespace', async () => {
    const object = (namespace: string, annotations: object) => ({
      metadata: { name: 'made-up', namespace, uid: 'made-up', annotations },
      spec: { replicas: 1, template: { spec: { containers: [] } } },
    })
    const answers = new Set<string>()
    for (const namespace of [here.namespace, 'default', 'no-such-namespace'])
      for (const asked of ['wake', 'snooze', 'pin']) {
        const base = { [ANNOTATION.wakeOrder]: '5' }
        const key = { kind: 'deployments', namespace, name: 'made-up' } as const
        const request = object(namespace, { ...base, [ANNOTATION.request]: asked })
        const answer = await forge(here.port, 'workloads', changing(key, object(namespace, base), request))
        answers.add(JSON.stringify(answer).replaceAll(namespace, 'NAMESPACE'))
      }
    expect([...answers]).to.have.length(1)
    expect([...answers][0])
      .to.include('is not known to Dormouse yet')
      .and.not.include('warnings')
  })
})
