import { expect } from 'chai'
import { request } from 'undici'
import { describeOn } from '../support/clusters.ts'
import { eventually, inParallel } from '../support/eventually.ts'
import { print } from '../support/figures.ts'
import { annotated, manifest } from '../support/manifests.ts'
import { asleepNow, awakeNow } from '../support/schedules.ts'
import { served } from '../support/served.ts'
import { agree } from './agreement.ts'
import { killsInAWave } from './kill-wave.ts'
import { firstAnswer } from './return.ts'

const REPLICAS = 2
const GRACE = 10_000

describeOn('the API server goes away and comes back', function (on) {
  this.timeout(120_000)
  const here = served(on, { newWorkloadGrace: `${GRACE / 1000}s` })
  let due: number
  let back: number

  before(async () => {
    await here.create('deployments', 'asked', { replicas: REPLICAS })
    await here.workload('deployments', 'asked').enable({ schedule: awakeNow() })
    await here.workload('deployments', 'asked').snooze('?wait=60s')
    const annotations = annotated(asleepNow())
    await here.cluster.create(here.namespace, [
      manifest('deployments', 'due', { replicas: REPLICAS, annotations }),
    ])
    const record = await eventually('it to be known', () => here.workload('deployments', 'due').status())
    due = Date.parse(record.next_transition?.at ?? '')
    await here.cluster.stopApiServer()
  })

  after('the API server is back', async () => {
    if (back === undefined) await here.cluster.startApiServer()
  })

  it('requests are answered 503 with Retry-After meanwhile, and health is told apart from it', async () => {
    const asked = here.workload('deployments', 'asked')
    const answers = await Promise.all([
      asked.attempt('POST', 'wake'),
      asked.attempt('POST', 'pin'),
      asked.attempt('POST', 'snooze?dryRun=true'),
      asked.attempt('PUT', 'schedule', { body: { schedule: '8:00-18:00' } }),
    ])
    for (const { status, headers, body } of answers) {
      expect([status, body.error.code]).to.deep.equal([503, 'CLUSTER_UNAVAILABLE'])
      expect(Number(headers['retry-after'])).to.be.greaterThan(0)
    }
    const { status, body } = await asked.attempt('GET', '')
    expect(status === 200 || body.error.code === 'CLUSTER_UNAVAILABLE').to.equal(true)
    expect((await request(`${here.dormouse.metricsUrl}/healthz`)).statusCode).to.equal(200)
  })

  it('what fell due meanwhile is done when it is back', async () => {
    await eventually('the instant to pass', () => Date.now() > due, { timeout: 2 * GRACE })
    const answered = firstAnswer(here.cluster)
    await here.cluster.startApiServer()
    back = await answered
    const { snoozed_at: at } = await eventually('it to be caught up', async () => {
      const record = await here.workload('deployments', 'due').status()
      return record.is_snoozed && record
    })
    print([`caught up on ${here.cluster.name}: ${Date.parse(at ?? '') - back} ms after its first answer`])
    await here.settled('deployments', 'due')
    expect(await agree(here, 'deployments', 'due')).to.include({ last_replicas: REPLICAS })
  })

  it('requests work again, and nothing was lost', async () => {
    const record = await eventually('a request to be taken', async () => {
      const answer = await here.workload('deployments', 'asked').attempt('POST', 'wake?wait=60s')
      return answer.status === 200 && answer.body.data
    })
    expect(record).to.include({ current_replicas: REPLICAS, ready_replicas: REPLICAS, pin_state: 'none' })
    await agree(here, 'deployments', 'asked')
  })
})

describeOn('SIGTERM during work', function (on) {
  this.timeout(120_000)
  const here = served(on, { newWorkloadGrace: '0s' })
  const names = Array.from({ length: 30 }, (_, index) => `busy-${index}`)

  before(async () => {
    await here.cluster.create(
      here.namespace,
      names.map((name) => manifest('deployments', name, { replicas: REPLICAS })),
    )
    await inParallel(names, (name) => here.settled('deployments', name))
    await inParallel(names, (name) => here.workload('deployments', name).enable({ schedule: awakeNow() }))
  })

  it('finishes what is in flight and ends with 0', async () => {
    const requests = names.map((name) =>
      here.workload('deployments', name).attempt('POST', 'snooze?wait=60s'),
    )
    await Promise.race(requests)
    const ended = here.dormouse.terminate()
    const statuses = (await Promise.all(requests)).map(({ status }) => status)
    expect(await ended).to.equal(0)
    expect(statuses).to.deep.equal(names.map(() => 200))
    for (const name of names) {
      const { spec, metadata } = await here.get('deployments', name)
      expect([spec.replicas, metadata.labels?.['dormouse.dev/asleep']]).to.deep.equal([0, String(REPLICAS)])
    }
  })

  it('and the next one completes what was left', async () => {
    await here.dormouse.start()
    for (const name of names)
      await eventually(`${name} to be complete`, async () => {
        const [newest] = (await here.workload('deployments', name).status()).operation_history
        return newest?.result === 'succeeded' && newest.type === 'snooze'
      })
  })
})

describeOn('kill -9 in a wave', (on) => {
  killsInAWave(on, ({ isReal }) => (isReal ? 5 : 3))
})
