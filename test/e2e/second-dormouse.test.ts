import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { actingAs } from '../support/acting-as.ts'
import { describeOn } from '../support/clusters.ts'
import { Dormouse, type Settings } from '../support/dormouse.ts'
import { configuration, enforced } from '../support/enforced.ts'
import { eventually } from '../support/eventually.ts'
import { print } from '../support/figures.ts'
import { sumOf } from '../support/metrics-text.ts'
import { awakeBetween } from '../support/schedules.ts'

const REPLICAS = 2
const HOUR = 3_600_000
const OTHER = 'system:serviceaccount:staging:dormouse'
const lease = { namespace: 'dormouse', name: 'staging', duration: '4s', renew: '3s', retry: '500ms' }
const ELSEWHERE = { newWorkloadGrace: '0s', timezone: 'Asia/Tokyo', controller: { lease } }

describeOn('a second Dormouse, of another account and another configuration,', function (on) {
  this.timeout(120_000)
  const here = enforced(on)
  let directory: string
  let second: Dormouse | undefined

  const startSecond = async (settings: Settings) => {
    const path = join(directory, 'kubeconfig')
    second = await Dormouse.start(await actingAs(on(), OTHER, path), { ...ELSEWHERE, ...settings })
    return second
  }

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'dormouse-second-'))
  })

  after(async () => {
    await second?.stop()
    await rm(directory, { recursive: true })
  })

  it('is refused by the webhook of the first, and an Event on the workload names both sides', async () => {
    const now = Date.now()
    const schedule = awakeBetween(now - 2 * HOUR, now + 4 * HOUR)
    const workload = await here.enabled('deployments', 'web', { replicas: REPLICAS, schedule })
    const staging = await startSecond({ webhook: { enabled: false } })
    const event = await eventually('the Event', async () =>
      (await here.events('web')).find(({ reason }) => reason === 'SnoozeFailed'),
    )
    expect(event.message).to.include('another account that calls itself dormouse').and.include(OTHER)
    const patches = { verb: 'patch', resource: 'deployments' }
    const sent = sumOf(await staging.metrics(), 'dormouse_kubernetes_requests_total', patches)
    expect(sent, 'patches that were refused').to.be.within(1, 4)
    expect(await workload.status()).to.include({ is_snoozed: false, current_replicas: REPLICAS })
    expect((await workload.status()).operation_history).to.deep.equal([])
    await staging.stop()
    second = undefined
  })

  it('that has a webhook, too, rewrites the configuration some times, and then seldom; an Event tells of it', async () => {
    const { settings } = await here.another()
    const { webhook } = settings as { webhook: { port: number } }
    const began = Date.now()
    const url = `https://127.0.0.1:${webhook.port}`
    await startSecond({ webhook: { ...webhook, url, certificates: { secret: 'staging-webhook' } } })
    const told = await eventually('the Event of the one that rests first', contest)
    expect(
      [url, here.balancer.url].some((each) => told.includes(`pointed at ${each}`)),
      told,
    ).to.equal(true)
    const written = await writes(began)
    print([`${written} writes of the webhook configuration by the first`])
    // Three times at once, each followed by Fail; and some for the rests so far.
    expect(written).to.be.at.most(12)
    await second?.stop()
    second = undefined
    const isOurs = async () => {
      const { webhooks } = await configuration(here.cluster)
      return webhooks.every(({ clientConfig }) => clientConfig.url?.startsWith(here.balancer.url))
    }
    await eventually('the first to have the configuration again', isOurs, { timeout: 60_000 })
    await here.inForce()
  })

  async function contest(): Promise<string | undefined> {
    const args = ['get', 'events', '-n', 'default', '--field-selector=reason=OtherWriter']
    const { items } = await here.cluster.kubectl.json<{ items: { message: string }[] }>(...args)
    return items[0]?.message
  }

  async function writes(since: number): Promise<number> {
    const requests = await here.cluster.requestsSince(since)
    return requests.filter(({ verb, url }) => verb === 'patch' && url.includes('mutatingwebhook')).length
  }
})
