import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { request } from 'undici'
import type { LogLine } from '../support/dormouse.ts'
import type { Cluster } from '../support/cluster.ts'
import { describeOn } from '../support/clusters.ts'
import { eventually } from '../support/eventually.ts'
import { print } from '../support/figures.ts'
import { annotated, manifest } from '../support/manifests.ts'
import { sumOf } from '../support/metrics-text.ts'
import { asleepNow, awakeNow } from '../support/schedules.ts'
import { served } from '../support/served.ts'
import { agree, marksOf } from './agreement.ts'

const COUNT = 150
/** The rest have no pods: the test measures Dormouse, not pods that end. */
const WITH_PODS = 10
const REPLICAS = 2
const LEAD = { lease: { duration: '180s', renew: '170s', retry: '500ms' } }
/** Milliseconds from the start of Dormouse until the first is due, and as long again as it took to create all. */
const HEAD_START = 12_000

describeOn(`the API server is down while ${COUNT} workloads fall due`, function (on) {
  this.timeout(300_000)
  const here = served(on, { controller: LEAD })
  let allDue: number
  let gone: number
  let isBack = false
  let triedBefore: number
  const asked = () => here.workload('deployments', 'asked')

  before('the first will be due in a moment', async () => {
    await here.asleep('deployments', 'asked', { replicas: REPLICAS, schedule: awakeNow() })
    await here.dormouse.terminate()
    const began = Date.now()
    const annotations = annotated(asleepNow())
    await here.cluster.create(
      here.namespace,
      Array.from({ length: COUNT }, (_, index) =>
        manifest('replicasets', `due-${index}`, { replicas: countOf(`due-${index}`), annotations }),
      ),
    )
    const grace = 2 * (Date.now() - began) + HEAD_START
    allDue = Date.now() + grace
    await here.dormouse.start({ controller: LEAD, newWorkloadGrace: `${Math.ceil(grace / 1000)}s` })
    await here.cluster.stopApiServer()
    gone = Date.now()
    triedBefore = await tried()
  })

  after('the API server is back', async () => {
    if (!isBack) await here.cluster.startApiServer()
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
    await sleep(allDue + 1000 - Date.now())
    expect((await tried()) - triedBefore, 'attempts').to.equal(0)
    expect(linesOfDue(), 'lines').to.deep.equal([])
    const lines = here.dormouse.log.filter((line) => timeOf(line) >= gone).length

    const answered = firstAnswer(here.cluster)
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
    const back = await answered
    const times = objects.map((object) => (marksOf(object).state?.snoozed?.at ?? 0) - back)
    print([
      `${COUNT} workloads due while the API server was down for ${seconds(back - gone)} on ${here.cluster.name}:`,
      `0 attempts, ${lines} lines of log, none of a workload`,
      `done after its first answer: the first ${seconds(Math.min(...times))}, the last ${seconds(Math.max(...times))}`,
    ])
    expect(objects).to.have.length(COUNT)
    for (const object of objects)
      expect(marksOf(object).label, object.metadata.name).to.equal(String(countOf(object.metadata.name)))
    expect(
      linesOfDue().filter(({ action }) => action === undefined),
      'faults',
    ).to.deep.equal([])
  })

  it('requests work again, and nothing is lost', async () => {
    const record = await eventually('a request to be carried out', async () => {
      const answer = await asked().attempt('POST', 'wake?wait=60s')
      return answer.status === 200 && answer.body.data
    })
    expect(record).to.include({ current_replicas: REPLICAS, ready_replicas: REPLICAS, pin_state: 'none' })
    await agree(here, 'deployments', 'asked')
  })

  /** Calls about ReplicaSets that were not answered. */
  async function tried(): Promise<number> {
    const labels = (verb: string) => ({ verb, resource: 'replicasets', code: '0' })
    const samples = await here.dormouse.metrics()
    return ['get', 'patch'].reduce(
      (sum, verb) => sum + sumOf(samples, 'dormouse_kubernetes_requests_total', labels(verb)),
      0,
    )
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

/**
 * Milliseconds since the epoch of the API server's first answer. Call it before the start: `startApiServer`
 * resolves once the server is ready, when it has already answered others.
 */
function firstAnswer({ admin }: Cluster): Promise<number> {
  return eventually(
    'the API server to answer',
    async () => {
      await admin.send('GET', '/version')
      return Date.now()
    },
    { pause: 10 },
  )
}

function timeOf({ time }: LogLine): number {
  return Date.parse(String(time))
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`
}
