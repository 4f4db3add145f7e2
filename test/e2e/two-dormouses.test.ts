import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { actingAs } from '../support/acting-as.ts'
import type { Cluster } from '../support/cluster.ts'
import { describeOn } from '../support/clusters.ts'
import { Dormouse, type Settings } from '../support/dormouse.ts'
import { enforced, ownNamespace } from '../support/enforced.ts'
import { eventually } from '../support/eventually.ts'
import { annotated, manifest } from '../support/manifests.ts'
import { writesOf } from '../support/metrics-text.ts'
import { awakeBetween } from '../support/schedules.ts'
import { served } from '../support/served.ts'
import { marksOf } from './agreement.ts'

const REPLICAS = 2
const HOUR = 3_600_000
const TOKYO = { timezone: 'Asia/Tokyo' }
const OTHER = 'system:serviceaccount:staging:dormouse'
/** It leads beside the first. */
const LEASE = { namespace: 'dormouse', name: 'staging', duration: '4s', renew: '3s', retry: '500ms' }

describeOn('two Dormouses by mistake, without webhooks,', function (on) {
  this.timeout(120_000)
  const here = served(on, { newWorkloadGrace: '0s' })
  const staging = installed(on)
  const names = Array.from({ length: 6 }, (_, index) => `web-${index}`)

  before('the first leads', async () => {
    await eventually('it to lead', () => here.dormouse.log.some(({ msg }) => msg === 'this replica leads'))
  })

  it('of different zones end in a backoff', async () => {
    const second = await staging.start(TOKYO)
    const now = Date.now()
    const annotations = annotated(awakeBetween(now - 2 * HOUR, now + 4 * HOUR))
    const objects = names.map((name) => manifest('deployments', name, { replicas: REPLICAS, annotations }))
    await here.cluster.create(here.namespace, objects)
    const areResting = async () => (await marks()).every(({ state }) => state?.backoff?.cause === 'flapping')
    await eventually('all to be in a backoff', areResting)
    // Seven operations and the end of each wake, by both; and those that came too late.
    const sent = (await deploymentsWritten(here.dormouse)) + (await deploymentsWritten(second))
    expect(sent / names.length).to.be.at.most(20)
    for (const { state } of await marks()) expect(state?.snoozed?.replicas).to.equal(REPLICAS)
  })

  async function marks() {
    return (await here.list('deployments')).map(marksOf)
  }
})

describeOn('a second Dormouse beside one with a webhook', function (on) {
  this.timeout(120_000)
  const here = enforced(on)
  const staging = installed(on)

  it('is refused, and an Event on the workload names both sides', async () => {
    const now = Date.now()
    const schedule = awakeBetween(now - 2 * HOUR, now + 4 * HOUR)
    const workload = await here.enabled('deployments', 'web', { replicas: REPLICAS, schedule })
    // Leaves out the traces of other tests.
    const { items = [] } = await on().admin.expect('GET', '/api/v1/namespaces')
    const others = items.map(({ metadata }) => metadata?.name ?? '').filter((name) => name !== here.namespace)
    const settings = { ...TOKYO, webhook: { enabled: false }, excludeNamespaces: others }
    const second = await staging.start(settings)
    const { message } = await eventually('the Event', async () =>
      (await here.events('web')).find(({ reason }) => reason === 'SnoozeFailed'),
    )
    expect(message).to.include('another account that calls itself dormouse').and.include(OTHER)
    expect(await deploymentsWritten(second), 'then it waits').to.be.within(1, 40)
    expect(await workload.status()).to.deep.include({
      is_snoozed: false,
      current_replicas: REPLICAS,
      operation_history: [],
    })
  })

  it('that has one, too, ends as it starts, and says where the first is', async () => {
    const { settings } = await here.another()
    const { webhook } = settings as { webhook: { port: number } }
    const url = `https://127.0.0.1:${webhook.port}`
    const began = Date.now()
    const starting = staging.start({ ...TOKYO, webhook: { ...webhook, url } })
    const error = await starting.then(
      () => undefined,
      (cause: unknown) => String(cause),
    )
    expect(error).to.include(`the MutatingWebhookConfiguration dormouse points at ${here.balancer.url}. Stop`)
    const requests = await here.cluster.requestsSince(began)
    expect(requests.filter(({ verb, url }) => verb === 'write' && url.includes('mutatingwebhook'))).to.be
      .empty
  })
})

/** Another installation, of another account; it is gone after the suite. */
function installed(on: () => Cluster) {
  let directory: string
  let running: Dormouse | undefined
  const stop = async () => {
    await running?.stop()
    running = undefined
  }

  before(async () => {
    await ownNamespace(on())
    directory = await mkdtemp(join(tmpdir(), 'dormouse-second-'))
  })

  after(async () => {
    await stop()
    await rm(directory, { recursive: true })
  })

  return {
    stop,
    /** Stops it, if it runs, and starts it with these settings. */
    async start(settings: Settings): Promise<Dormouse> {
      await stop()
      const cluster = await actingAs(on(), OTHER, join(directory, 'kubeconfig'))
      const all = { newWorkloadGrace: '0s', controller: { lease: LEASE }, ...settings }
      running = await Dormouse.start(cluster, all)
      return running
    },
  }
}

async function deploymentsWritten(dormouse: Dormouse): Promise<number> {
  return writesOf(await dormouse.metrics(), 'deployments')
}
