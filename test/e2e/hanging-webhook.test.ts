import { once } from 'node:events'
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { expect } from 'chai'
import { describeOn } from '../support/clusters.ts'
import { eventually } from '../support/eventually.ts'
import { annotated, manifest } from '../support/manifests.ts'
import { asleepNow } from '../support/schedules.ts'
import { served } from '../support/served.ts'
import { marksOf } from './agreement.ts'

const CONFIGURATIONS = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations'
/** More than Dormouse has sockets. */
const SICK = 24
const HEALTHY = 40
const REPLICAS = 2

/** It accepts every connection and never says a word: a webhook whose node was lost. */
class Listener {
  readonly #server: Server
  readonly #sockets = new Set<Socket>()

  constructor() {
    this.#server = createServer((socket) => {
      this.#sockets.add(socket)
      socket.on('error', () => {}).on('close', () => this.#sockets.delete(socket))
    })
  }

  async start(): Promise<string> {
    await once(this.#server.listen(0, '127.0.0.1'), 'listening')
    return `https://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`
  }

  /** How many reviews hang. */
  get hanging(): number {
    return this.#sockets.size
  }

  stop(): void {
    this.#server.close()
    for (const socket of this.#sockets) socket.destroy()
  }
}

describeOn(`an admission webhook of somebody else that hangs for ${SICK} workloads`, function (on) {
  this.timeout(120_000)
  const lease = { duration: '10s', renew: '8s', retry: '1s' }
  const here = served(on, { newWorkloadGrace: '0s', controller: { lease } })
  const listener = new Listener()
  const name = `hangs-${process.pid}`
  let begun: number

  before('all are due when Dormouse starts, and the sick ones come first', async () => {
    await here.dormouse.terminate()
    const annotations = annotated(asleepNow())
    const some = (count: number, prefix: string, labels?: Record<string, string>) =>
      Array.from({ length: count }, (_, index) =>
        manifest('deployments', `${prefix}-${index}`, {
          replicas: REPLICAS,
          annotations,
          ...(labels && { labels }),
        }),
      )
    const awake = manifest('deployments', 'asked', { replicas: REPLICAS })
    const objects = [...some(SICK, 'a-sick', { sick: 'yes' }), ...some(HEALTHY, 'healthy'), awake]
    await here.cluster.create(here.namespace, objects)
    await here.cluster.admin.expect('POST', CONFIGURATIONS, {
      metadata: { name },
      webhooks: [
        {
          name: 'hangs.example.com',
          clientConfig: { url: await listener.start() },
          rules: [
            {
              apiGroups: ['apps'],
              apiVersions: ['v1'],
              operations: ['UPDATE'],
              resources: ['deployments'],
            },
          ],
          objectSelector: { matchLabels: { sick: 'yes' } },
          namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': here.namespace } },
          failurePolicy: 'Fail',
          timeoutSeconds: 10,
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
        },
      ],
    })
    await eventually('the webhook to be called', async () => {
      void here.cluster.admin.send('PATCH', here.path('deployments', 'a-sick-0'), {
        metadata: { labels: { a: 'b' } },
      })
      return listener.hanging > 0
    })
    begun = Date.now()
    await here.dormouse.start()
  })

  after('the webhook is removed', async () => {
    await on().admin.send('DELETE', `${CONFIGURATIONS}/${name}`)
    listener.stop()
  })

  it('a request about another workload is carried out meanwhile', async () => {
    await eventually('the reviews to hang', () => listener.hanging > 1)
    const asked = here.workload('deployments', 'asked')
    const began = performance.now()
    await asked.enable()
    await asked.snooze()
    const took = performance.now() - began
    expect(took, 'milliseconds').to.be.below(8000)
  })

  it('the others fall asleep', async () => {
    await eventually(
      'the healthy ones to sleep',
      async () => {
        const states = (await workloads('healthy')).map((object) => marksOf(object).state)
        return states.every((state) => state?.asleep)
      },
      { timeout: 20_000, pause: 200 },
    )
  })

  it('each sick one has an Event that says so', async () => {
    const failed = await eventually('an Event on each', async () => {
      const events = (await here.events()).filter(({ reason }) => reason === 'SnoozeFailed')
      return new Set(events.map(({ involvedObject }) => involvedObject.name)).size === SICK && events
    })
    for (const { message } of failed) expect(message).to.match(/webhook/)
  })

  it('the Lease is never lost', () => {
    const lines = here.dormouse.log.filter(({ time }) => Date.parse(String(time)) >= begun)
    expect(lines.filter(({ msg }) => /leads no longer|Lease could not/.test(String(msg)))).to.deep.equal([])
  })

  it('they fall asleep with their counts once it is gone', async () => {
    await on().admin.expect('DELETE', `${CONFIGURATIONS}/${name}`)
    const objects = await eventually(
      'the sick ones to sleep',
      async () => {
        const found = await workloads('a-sick')
        return found.every((object) => marksOf(object).state?.asleep) && found
      },
      { timeout: 90_000, pause: 500 },
    )
    for (const object of objects) expect(marksOf(object)).to.include({ replicas: 0, label: String(REPLICAS) })
  })

  const workloads = async (prefix: string) =>
    (await here.list('deployments')).filter(({ metadata }) => metadata.name.startsWith(prefix))
})
