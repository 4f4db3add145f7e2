import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { request } from 'undici'
import type { LogLine } from '../support/dormouse.ts'
import { describeOn } from '../support/clusters.ts'
import { eventually } from '../support/eventually.ts'
import { ProgramClock } from '../support/program-clock.ts'
import { MINUTE } from '../support/rules.ts'
import { annotated, manifest } from '../support/manifests.ts'
import { sumOf, writesOf } from '../support/metrics-text.ts'
import { asleepNow, awakeNow } from '../support/schedules.ts'
import { served } from '../support/served.ts'
import { agree, marksOf } from './agreement.ts'

const COUNT = 100
/** The rest have no pods: the test measures Dormouse, not pods that end. */
const WITH_PODS = 10
const REPLICAS = 2
const LEAD = { lease: { duration: '180s', renew: '170s', retry: '500ms' } }
/** For so long new workloads run; then all are due. */
const GRACE = 30 * MINUTE

describeOn(`the API server is down while ${COUNT} workloads fall due`, function (on) {
  this.timeout(300_000)
  const clock = new ProgramClock()
  const here = served(on, { controller: LEAD, newWorkloadGrace: '30m' }, clock.preload)
  let gone: number
  let isBack = false
  let triedBefore: number
  const asked = () => here.workload('deployments', 'asked')

  before('all will be due at the end of their grace', async () => {
    await here.asleep('deployments', 'asked', { replicas: REPLICAS, schedule: awakeNow() })
    const annotations = annotated(asleepNow())
    await here.cluster.create(
      here.namespace,
      Array.from({ length: COUNT }, (_, index) =>
        manifest('replicasets', `due-${index}`, { replicas: countOf(`due-${index}`), annotations }),
      ),
    )
    const known = { namespace: here.namespace, kind: 'replicasets', state: 'awake' }
    await eventually('all to be known', async () => {
      return sumOf(await here.dormouse.metrics(), 'dormouse_workloads', known) === COUNT
    })
    await here.cluster.stopApiServer()
    clock.moveTo(GRACE)
    gone = clock.now()
    triedBefore = await tried()
  })

  after('the API server is back', async () => {
    if (!isBack) await here.cluster.startApiServer()
    clock.remove()
  })

  it('requests are answered 503 with Retry-After meanwhile, and /healthz stays 200', async () => {
    const answers = await Promise.all([
      asked().attempt('POST', 'wake'),
      asked().attempt('POST', 'pin'),
      asked().attempt('POST', 'snooze?dryRun=true'),
      asked().attempt('PUT', 'schedule', { body: { schedule: '8:00-18:00' } }),
    ])
    for (const { status, headers, body } of answers) {
      expect([status, body.error.code]).to.deep.equal([503, 'CLUSTER_UNAVAILABLE'])
      expect(Number(headers['retry-after'])).to.be.greaterThan(0)
    }
    const { status, body } = await asked().attempt('GET', '')
    expect(status === 200 || body.error.code === 'CLUSTER_UNAVAILABLE').to.equal(true)
    expect((await request(`${here.dormouse.metricsUrl}/healthz`)).statusCode).to.equal(200)
  })

  it('no write is tried or logged meanwhile; once it is back, all fall asleep with their counts', async () => {
    // Longer than the timers of its clock sleep.
    await sleep(2000)
    expect((await tried()) - triedBefore, 'attempts').to.equal(0)
    expect(linesOfDue(), 'lines').to.deep.equal([])
    await here.cluster.startApiServer()
    isBack = true
    const objects = await eventually(
      'all to sleep',
      async () => {
        const found = await workloads()
        return found.every((object) => marksOf(object).state?.asleep) && found
      },
      { timeout: 120_000, pause: 200 },
    )
    expect(objects).to.have.length(COUNT)
    for (const object of objects)
      expect(marksOf(object).label, object.metadata.name).to.equal(String(countOf(object.metadata.name)))
    expect(
      linesOfDue().filter(({ action }) => action === undefined),
      'faults',
    ).to.deep.equal([])
  })

  it('requests work again, and nothing is lost', async () => {
    const record = await eventually('a request to be carried out, and its pods', async () => {
      const answer = await asked().attempt('POST', 'wake?wait=60s')
      const isReady = answer.status === 200 && answer.body.data.ready_replicas === REPLICAS
      return isReady && answer.body.data
    })
    expect(record).to.include({ current_replicas: REPLICAS, ready_replicas: REPLICAS, pin_state: 'none' })
    await agree(here, 'deployments', 'asked')
  })

  /** Calls about ReplicaSets that were not answered. */
  async function tried(): Promise<number> {
    const labels = { resource: 'replicasets', code: '0' }
    const samples = await here.dormouse.metrics()
    const reads = sumOf(samples, 'dormouse_kubernetes_requests_total', { ...labels, verb: 'get' })
    return reads + writesOf(samples, 'replicasets', labels)
  }

  function linesOfDue(): LogLine[] {
    return here.dormouse.log.filter(
      (line) => timeOf(line) >= gone && /\bdue-\d+/.test(String(line['workload'])),
    )
  }

  /** But for the revisions of the Deployment. */
  const workloads = async () =>
    (await here.list('replicasets')).filter(({ metadata }) => metadata.name.startsWith('due-'))
})

function countOf(name: string): number {
  return Number(name.replace('due-', '')) < WITH_PODS ? 1 : 0
}

describeOn('one kind may not be listed', function (on) {
  this.timeout(60_000)
  const here = served(on, { newWorkloadGrace: '0s' })
  let allow: () => Promise<void>

  before('Dormouse is started without it', async () => {
    await here.dormouse.terminate()
    allow = await here.cluster.refuse('replicasets')
    await here.dormouse.start()
  })

  after('it may again', () => allow())

  it('the other kinds are served, by requests and by their schedules', async () => {
    const web = await here.create('deployments', 'web')
    await web.enable({ schedule: asleepNow() })
    expect(await web.status()).to.include({ is_snoozed: true })
    const annotations = annotated(asleepNow())
    await here.cluster.create(here.namespace, [manifest('statefulsets', 'db', { annotations })])
    await eventually(
      'db to sleep',
      async () => (await here.workload('statefulsets', 'db').status()).is_snoozed,
    )
  })

  it('readiness, the log, the metric and the API name it', async () => {
    const { statusCode, body } = await request(`${here.dormouse.metricsUrl}/readyz`)
    expect([statusCode, await body.text()]).to.deep.equal([
      200,
      'ready, but:\n- replicasets: not watched, so nothing is done about them; the log says why\n',
    ])
    const told = here.dormouse.log.filter(({ kinds }) => kinds !== undefined)
    expect(told.map(({ level, kinds }) => [level, kinds])).to.deep.equal([['warn', ['replicasets']]])
    const connected = (kind: string) =>
      here.dormouse.metrics().then((samples) => sumOf(samples, 'dormouse_watch_connected', { kind }))
    expect([await connected('replicasets'), await connected('deployments')]).to.deep.equal([0, 1])
    const answer = await here.workload('replicasets', 'any').attempt('GET', '')
    expect([answer.status, answer.body.error.code]).to.deep.equal([503, 'CLUSTER_UNAVAILABLE'])
  })

  it('it is served as soon as it may be listed', async () => {
    await here.cluster.create(here.namespace, [
      manifest('replicasets', 'late', { annotations: annotated(asleepNow()) }),
    ])
    await allow()
    await eventually(
      'it to sleep',
      async () => (await here.workload('replicasets', 'late').status()).is_snoozed,
    )
    const { body } = await request(`${here.dormouse.metricsUrl}/readyz`)
    expect(await body.text()).to.equal('ready\n')
  })
})

function timeOf({ time }: LogLine): number {
  return Date.parse(String(time))
}
