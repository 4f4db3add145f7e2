import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { request } from 'undici'
import type { LogLine } from '../support/dormouse.ts'
import { describeOn } from '../support/clusters.ts'
import { eventually } from '../support/eventually.ts'
import { print } from '../support/figures.ts'
import type { KubectlObject } from '../support/kubectl.ts'
import { annotated, manifest } from '../support/manifests.ts'
import { sumOf } from '../support/metrics-text.ts'
import { asleepNow } from '../support/schedules.ts'
import { served } from '../support/served.ts'
import { marksOf } from './agreement.ts'
import { firstAnswer } from './return.ts'

const COUNT = 500
/** The rest have no pods: the API server's return is what is measured, not theirs. */
const WITH_PODS = 50
const LEAD = { lease: { duration: '180s', renew: '170s', retry: '500ms' } }
/** From the start of Dormouse until the first of them is due. */
const HEAD_START = 12_000

describeOn(`the API server is away while ${COUNT} workloads fall due`, function (on) {
  this.timeout(180_000)
  const here = served(on, { controller: LEAD })
  let allDue: number
  let gone: number

  before('they are there, and the first is due in a moment', async () => {
    await here.dormouse.terminate()
    const began = Date.now()
    const annotations = annotated(asleepNow())
    await here.cluster.create(
      here.namespace,
      Array.from({ length: COUNT }, (_, index) =>
        manifest('replicasets', `due-${index}`, { replicas: index < WITH_PODS ? 1 : 0, annotations }),
      ),
    )
    const grace = Date.now() - began + HEAD_START
    allDue = Date.now() + grace
    await here.dormouse.start({ controller: LEAD, newWorkloadGrace: `${Math.ceil(grace / 1000)}s` })
    await here.cluster.stopApiServer()
    gone = Date.now()
  })

  it('nothing is tried and nothing is logged of any of them; all go out once it is back', async () => {
    const before = await tried()
    await sleep(allDue + 1000 - Date.now())
    expect((await tried()) - before, 'attempts').to.equal(0)
    expect(linesOfWorkloads(), 'lines').to.deep.equal([])
    const lines = here.dormouse.log.filter((line) => timeOf(line) >= gone).length

    const answered = firstAnswer(here.cluster)
    await here.cluster.startApiServer()
    const objects = await eventually(
      'all to sleep',
      async () => {
        const found = await workloads()
        return found.every((object) => marksOf(object).state?.asleep) && found
      },
      { timeout: 60_000, pause: 200 },
    )
    const back = await answered
    const times = objects.map((object) => (marksOf(object).state?.snoozed?.at ?? 0) - back)
    print([
      `${COUNT} workloads due while the API server was away for ${seconds(back - gone)} on ${here.cluster.name}:`,
      `0 attempts, ${lines} lines of log, none of a workload`,
      `done after its first answer: the first ${seconds(Math.min(...times))}, the last ${seconds(Math.max(...times))}`,
    ])
    expect(objects).to.have.length(COUNT)
    expect(
      linesOfWorkloads().filter(({ action }) => action === undefined),
      'faults',
    ).to.deep.equal([])
  })

  /** Calls about workloads that nobody answered. */
  async function tried(): Promise<number> {
    const labels = (verb: string) => ({ verb, resource: 'replicasets', code: '0' })
    const samples = await here.dormouse.metrics()
    return ['get', 'patch'].reduce(
      (sum, verb) => sum + sumOf(samples, 'dormouse_kubernetes_requests_total', labels(verb)),
      0,
    )
  }

  function linesOfWorkloads(): LogLine[] {
    return here.dormouse.log.filter((line) => timeOf(line) >= gone && line['workload'] !== undefined)
  }

  async function workloads(): Promise<KubectlObject[]> {
    const { items = [] } = await here.cluster.admin.expect(
      'GET',
      `/apis/apps/v1/namespaces/${here.namespace}/replicasets`,
    )
    return items as unknown as KubectlObject[]
  }
})

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

  it('the others are served, by requests and by their schedules', async () => {
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

  it('readiness, the log, the metric and the API say which it is', async () => {
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

  it('it is served, too, as soon as it may be listed', async () => {
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

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`
}
