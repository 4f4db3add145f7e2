import { expect } from 'chai'
import { ASLEEP_LABEL } from '../../src/domain/workload/workload.ts'
import { describeOn } from '../support/clusters.ts'
import { eventually } from '../support/eventually.ts'
import { print } from '../support/figures.ts'
import { sumOf } from '../support/metrics-text.ts'
import { asleepNow } from '../support/schedules.ts'
import { served } from '../support/served.ts'

const LIMIT = 10
/** Milliseconds for which it is still undone once a write was withheld. */
const LONGER = 4000

describeOn('somebody undoes every write of Dormouse', function (on) {
  this.timeout(120_000)
  const here = served(on, { newWorkloadGrace: '0s', controller: { writesPerWorkload: LIMIT } })
  const path = () => here.path('deployments', 'web')
  const withheld = async () =>
    sumOf(await here.dormouse.metrics(), 'dormouse_writes_withheld_total', { kind: 'deployments' })
  let began: number
  let undone = 0

  before('it sleeps', async () => {
    const web = await here.create('deployments', 'web')
    await web.enable({ schedule: asleepNow() })
    await here.settled('deployments', 'web')
    await eventually('rest', async () => !(await web.status()).operation_in_progress)
    began = Date.now()
  })

  it('the workload is written no more often than its budget allows', async () => {
    let end = Infinity
    while (Date.now() < end) {
      if (end === Infinity && undone > LIMIT && (await withheld()) > 0) end = Date.now() + LONGER
      const { metadata } = (await here.cluster.admin.expect('GET', path())) as unknown as {
        metadata: { labels?: Record<string, string> }
      }
      if (metadata.labels?.[ASLEEP_LABEL] !== '1') continue
      await here.cluster.admin.expect('PATCH', path(), {
        metadata: { labels: { [ASLEEP_LABEL]: '7' } },
      })
      undone += 1
    }
    const writes = await here.patches(began, 'deployments', 'web')
    print([
      `in ${Math.round((Date.now() - began) / 1000)} s ${undone} times undone, and written ${writes} times, of ${LIMIT} allowed`,
    ])
    expect(writes).to.equal(LIMIT)
  })

  it('an Event and a metric report it', async () => {
    const event = await eventually('the Event', async () => {
      const found = (await here.events()).filter(({ reason }) => reason === 'TooManyWrites')
      return found.length > 0 && found
    })
    expect(event).to.have.length(1)
    expect(event[0]).to.deep.include({ type: 'Warning' })
    expect(await withheld()).to.equal(1)
  })

  it('requests are still carried out', async () => {
    const { status } = await here.workload('deployments', 'web').attempt('POST', 'wake?wait=30s')
    expect(status).to.equal(200)
    expect((await here.get('deployments', 'web')).spec.replicas).to.be.above(0)
  })
})
