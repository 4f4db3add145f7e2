import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { describeOn } from '../support/clusters.ts'
import { Dormouse } from '../support/dormouse.ts'
import { eventually } from '../support/eventually.ts'
import { print } from '../support/figures.ts'
import { annotated, manifest } from '../support/manifests.ts'
import { ProgramClock } from '../support/program-clock.ts'
import { awakeBetween, comingMinute, sleepsAt } from '../support/schedules.ts'
import { served } from '../support/served.ts'
import { marksOf } from './agreement.ts'

const REPLICAS = 2
const HOUR = 3_600_000
const COUNT = 12
const names = Array.from({ length: COUNT }, (_, index) => `web-${index}`)
/** Milliseconds: a leader takes no operation of the first ten seconds for another Dormouse's. */
const SETTLED = 11_000
const SETTINGS = { newWorkloadGrace: '0s' }
/** The other has a Lease of its own, so both lead. */
const leaseOf = (name: string) => ({ lease: { name, duration: '4s', renew: '3s', retry: '500ms' } })

describeOn('two Dormouses by mistake', function (on) {
  this.timeout(120_000)
  const clock = new ProgramClock()
  const here = served(on, { ...SETTINGS, controller: leaseOf('dormouse') }, clock.preload)
  let other: Dormouse

  const settingsOfOther = (timezone: string) => ({
    ...SETTINGS,
    timezone,
    controller: leaseOf('elsewhere'),
  })

  before('both lead', async () => {
    other = await Dormouse.start(on(), settingsOfOther('UTC'), clock.preload)
    await sleep(SETTLED)
  })

  after(async () => {
    await other.stop()
    clock.remove()
  })

  it('of one configuration act as one, and an Event tells of the other', async () => {
    const edge = comingMinute(HOUR)
    const began = Date.now()
    await createAll(annotated(sleepsAt(edge)))
    clock.moveTo(edge - 1000 - Date.now())
    await eventually('all to sleep', async () => (await marks()).every(({ replicas }) => replicas === 0))
    await eventually('an Event that tells of the other', otherWriter)
    const found = await marks()
    expect(found.map(({ label, state }) => [label, state?.history.length])).to.deep.equal(
      names.map(() => [`${REPLICAS}`, 1]),
    )
    const sent = await here.patches(began, 'deployments')
    print([`${sent} patches of both for ${COUNT} workloads at one edge, on ${here.cluster.name}`])
    expect(sent).to.be.at.most(2 * COUNT)
  })

  it('of different zones stop after some rounds, in a backoff; an Event tells of the other', async () => {
    clock.moveTo(0)
    await other.terminate()
    await other.start(settingsOfOther('Asia/Tokyo'))
    const now = Date.now()
    for (const name of names) await here.cluster.admin.expect('DELETE', here.path('deployments', name))
    await createAll(annotated(awakeBetween(now - 2 * HOUR, now + 4 * HOUR)))
    await eventually(
      'all to be in a backoff',
      async () => (await marks()).every(({ state }) => state?.backoff?.cause === 'flapping'),
      { timeout: 60_000 },
    )
    const rested = await here.patches(now, 'deployments')
    print([`${rested} patches of both for ${COUNT} workloads that they disagree about`])
    expect(rested / COUNT).to.be.at.most(20)
    await eventually('an Event that tells of the other', otherWriter)
    for (const { state } of await marks()) expect(state?.snoozed?.replicas).to.equal(REPLICAS)
    await sleep(3000)
    expect(await here.patches(now, 'deployments'), 'no more, but for the end of a wake').to.be.at.most(
      rested + COUNT,
    )
  })

  async function createAll(annotations: Record<string, string>): Promise<void> {
    const objects = names.map((name) => manifest('deployments', name, { replicas: REPLICAS, annotations }))
    await here.cluster.create(here.namespace, objects)
  }

  async function marks() {
    return (await here.list('deployments')).map((object) => marksOf({ ...object, kind: 'Deployment' }))
  }

  async function otherWriter() {
    const found = await here.events()
    return found.find(
      ({ reason, message }) => reason === 'OtherWriter' && message.includes('another Dormouse'),
    )
  }
})
