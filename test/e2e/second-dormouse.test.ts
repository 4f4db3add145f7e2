import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
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
  this.timeout(60_000)
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
    await sleep(3000)
    const patches = { verb: 'patch', resource: 'deployments' }
    const sent = sumOf(await staging.metrics(), 'dormouse_kubernetes_requests_total', patches)
    print([`${sent} patches were refused in 3 s and more`])
    expect(sent).to.be.at.most(4)
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
    await sleep(15_000)
    const written = await writes(began)
    print([`${written} writes of the webhook configuration by the first in 15 s`])
    expect(written).to.be.at.most(12)
    const events = await here.cluster.kubectl.json<{ items: { reason: string; message: string }[] }>(
      'get',
      'events',
      '-n',
      'default',
    )
    const told = events.items.filter(({ reason }) => reason === 'OtherWriter').map(({ message }) => message)
    expect(told.join('\n')).to.include(url)
    await second?.stop()
    second = undefined
    await eventually(
      'the first to have the configuration again',
      async () =>
        (await configuration(here.cluster)).webhooks.every(({ clientConfig }) =>
          clientConfig.url?.startsWith(here.balancer.url),
        ),
      { timeout: 45_000 },
    )
    await here.inForce()
  })

  async function writes(since: number): Promise<number> {
    const requests = await here.cluster.requestsSince(since)
    return requests.filter(({ verb, url }) => verb === 'patch' && url.includes('mutatingwebhook')).length
  }
})
