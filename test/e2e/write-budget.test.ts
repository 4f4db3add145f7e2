import { expect } from 'chai'
import { ASLEEP_LABEL } from '../../src/domain/workload.ts'
import { describeOn } from '../support/clusters.ts'
import { eventually } from '../support/eventually.ts'
import { print } from '../support/figures.ts'
import { sumOf } from '../support/metrics-text.ts'
import { asleepNow } from '../support/schedules.ts'
import { served } from '../support/served.ts'

const LIMIT = 10
/** How long somebody meddles, in milliseconds. */
const MEDDLING = 8000

describeOn('somebody undoes whatever Dormouse writes', function (on) {
  this.timeout(60_000)
  const here = served(on, { newWorkloadGrace: '0s', controller: { writesPerWorkload: LIMIT } })
  const path = () => `/apis/apps/v1/namespaces/${here.namespace}/deployments/web`
  let began: number
  let undone = 0

  before('it sleeps', async () => {
    const web = await here.create('deployments', 'web')
    await web.enable({ schedule: asleepNow() })
    await here.settled('deployments', 'web')
    await eventually('rest', async () => !(await web.status()).operation_in_progress)
    began = Date.now()
  })

  it('it is written no more often than its budget allows', async () => {
    const type = { 'content-type': 'application/merge-patch+json' }
    while (Date.now() < began + MEDDLING) {
      const { metadata } = (await here.cluster.admin.expect('GET', path())) as unknown as {
        metadata: { labels?: Record<string, string> }
      }
      if (metadata.labels?.[ASLEEP_LABEL] !== '1') continue
      await here.cluster.admin.expect(
        'PATCH',
        path(),
        { metadata: { labels: { [ASLEEP_LABEL]: '7' } } },
        type,
      )
      undone += 1
    }
    const writes = await written()
    print([
      `in ${MEDDLING / 1000} s ${undone} times undone, and ${writes} times put right, of ${LIMIT} allowed`,
    ])
    expect(writes).to.equal(LIMIT)
  })

  it('an Event and a metric say so', async () => {
    const event = await eventually('the Event', async () => {
      const { items } = (await here.cluster.kubectl.json(
        'get',
        'events',
        '-n',
        here.namespace,
      )) as unknown as {
        items: {
          reason: string
          type: string
          count?: number
          involvedObject: { name: string }
          regarding?: unknown
        }[]
      }
      const found = items.filter(({ reason }) => reason === 'TooManyWrites')
      return found.length > 0 && found
    })
    expect(event).to.have.length(1)
    expect(event[0]).to.deep.include({ type: 'Warning' })
    const samples = await here.dormouse.metrics()
    expect(sumOf(samples, 'dormouse_writes_withheld_total', { kind: 'deployments' })).to.equal(1)
  })

  it('requests are carried out all the same', async () => {
    const { status } = await here.workload('deployments', 'web').attempt('POST', 'wake?wait=30s')
    expect(status).to.equal(200)
    expect((await here.get('deployments', 'web')).spec.replicas).to.be.above(0)
  })

  async function written(): Promise<number> {
    const requests = await here.cluster.requestsSince(began)
    return requests.filter(({ verb, url }) => verb === 'patch' && url.startsWith(path())).length
  }
})
