import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { ANNOTATION } from '../../src/domain/workload/workload.ts'
import { marksOf } from '../e2e/agreement.ts'
import { describeOn } from '../support/clusters.ts'
import { eventually, inParallel } from '../support/eventually.ts'
import { print } from '../support/figures.ts'
import { manifest } from '../support/manifests.ts'
import { writesOf } from '../support/metrics-text.ts'
import { asleepNow, awakeNow } from '../support/schedules.ts'
import { served } from '../support/served.ts'

const COUNT = 1000
const KILLS = 10
const EDITED = 100
/** Objects whose status somebody writes all the time, and how often a second each. */
const BUSY = { objects: 5, perSecond: 50 }
const EDIT = 'example.com/edited'
const PATIENCE = { timeout: 240_000, pause: 500 }

/** Paused, so that no pods take the machine for themselves; each has a count of its own. */
describeOn(`waves of ${COUNT} that are sent as whole objects`, function (on) {
  this.timeout(900_000)
  const here = served(on, { newWorkloadGrace: '0s', backoff: { maxOperations: 19, window: '1s' } })
  const indices = Array.from({ length: COUNT }, (_, index) => index)
  const nameOf = (index: number) => `wave-${index}`
  const countOf = (index: number) => 2 + (index % 7)

  before('they are awake, and at rest', async () => {
    const annotations = { [ANNOTATION.enabled]: 'true' }
    await hours(awakeNow())
    const objects = indices.map((index) =>
      manifest('deployments', nameOf(index), { replicas: countOf(index), annotations, paused: true }),
    )
    await on().create(here.namespace, objects)
    await sleep(3000)
  })

  async function hours(schedule: string): Promise<void> {
    const metadata = { annotations: { [ANNOTATION.schedule]: schedule } }
    await on().admin.expect('PATCH', `/api/v1/namespaces/${here.namespace}`, { metadata })
  }

  const asleep = async () => (await here.list('deployments')).filter(({ spec }) => spec.replicas === 0).length
  const all = (sleeping: boolean) =>
    eventually(
      `all to be ${sleeping ? 'asleep' : 'awake'}`,
      async () => (await asleep()) === (sleeping ? COUNT : 0),
      PATIENCE,
    )
  async function countsAreKept(): Promise<void> {
    for (const object of await here.list('deployments')) {
      const count = countOf(Number(object.metadata.name.slice('wave-'.length)))
      const { replicas, label } = marksOf(object)
      expect(replicas === 0 ? label : String(replicas), object.metadata.name).to.equal(String(count))
    }
  }

  it(`lose no count to ${KILLS} kills -9`, async () => {
    for (let kill = 0; kill < KILLS; kill++) {
      await hours(kill % 2 === 0 ? asleepNow() : awakeNow())
      await sleep(200 + Math.random() * 2500)
      await here.dormouse.kill()
      await countsAreKept()
      await here.dormouse.start()
    }
    await hours(awakeNow())
    await all(false)
    await countsAreKept()
  })

  it('keep what a second client writes meanwhile, and what a status writer does', async () => {
    await sleep(2000)
    const before = await here.dormouse.metrics()
    const written = new Map<string, number>()
    let refused = 0
    const stop = new AbortController()
    const edits = async (index: number) => {
      const path = here.path('deployments', nameOf(index))
      for (let value = 1; !stop.signal.aborted; value++) {
        await on().admin.expect('PATCH', path, { metadata: { annotations: { [EDIT]: String(value) } } })
        written.set(nameOf(index), value)
        await sleep(300)
      }
    }
    const statuses = async (index: number) => {
      const path = `${here.path('deployments', nameOf(index))}/status`
      for (let value = 1; !stop.signal.aborted; value++) {
        const { status } = await on().admin.send('PATCH', path, { status: { collisionCount: value } })
        if (status !== 200) refused++
        await sleep(1000 / BUSY.perSecond)
      }
    }
    const others = Promise.all([
      inParallel(indices.slice(0, EDITED), edits, EDITED),
      inParallel(indices.slice(-BUSY.objects), statuses, BUSY.objects),
    ])
    await hours(asleepNow())
    await all(true)
    await hours(awakeNow())
    await all(false)
    stop.abort()
    await others
    for (const { metadata } of await here.list('deployments')) {
      const value = written.get(metadata.name)
      expect(metadata.annotations?.[EDIT], metadata.name).to.equal(
        value === undefined ? undefined : String(value),
      )
    }
    await countsAreKept()
    const after = await here.dormouse.metrics()
    const codes = (code: string) =>
      writesOf(after, 'deployments', { code }) - writesOf(before, 'deployments', { code })
    print([
      `writes of 2 waves: ${codes('200')} taken, ${codes('409')} overtaken; ${refused} status writes refused`,
    ])
    expect(refused).to.equal(0)
  })
})
