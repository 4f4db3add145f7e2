import { expect } from 'chai'
import type { Called } from '../faults/called.ts'
import { refusal, statusOf } from '../faults/faults.ts'
import { Recoveries } from '../faults/recoveries.ts'
import { comesToRest, reschedule, type Scheduled } from '../faults/resting.ts'
import { throughFaults } from '../faults/through-faults.ts'
import { describeOn } from '../support/clusters.ts'
import { eventually } from '../support/eventually.ts'
import type { KubectlObject } from '../support/kubectl.ts'
import { annotated, manifest } from '../support/manifests.ts'
import { sumOf } from '../support/metrics-text.ts'
import { awakeNow } from '../support/schedules.ts'
import { hasFollowed } from '../support/served.ts'

const MANAGED = 5000
const EXPIRED = { type: 'ERROR', object: statusOf(410) }
const LIST = { verb: 'list', resource: 'deployments' } as const

describeOn(`410 at ${MANAGED} workloads`, function (on) {
  const here = throughFaults(on, { newWorkloadGrace: '0s' })
  const recoveries = new Recoveries()
  const workload: Scheduled = { kind: 'deployments', name: 'last-of-all', count: 1 }
  let operations = 0
  /** Resolves when Dormouse has sent such a call, after the first `from` of them; returns when that was. */
  const called = async (from: number, what: string, isIt: (call: Called) => boolean) => {
    await eventually(what, () => here.proxy.calls.slice(from).some(isIt), { pause: 10 })
    return performance.now()
  }
  /** Changes the schedule to the other state, and notes how long it took from `begun` on. */
  const follows = async (fault: string, begun: number) => {
    const want = operations % 2 === 0 ? 'asleep' : 'awake'
    const calls = here.proxy.calls.length
    await reschedule(here, workload, want)
    operations += 1
    const [writtenAt, restsAt] = await Promise.all([
      called(calls, 'the write', ({ verb, name }) => verb === 'patch' && name === workload.name),
      comesToRest(here, workload, want, { operations }),
    ])
    recoveries.note(`${fault}: until it is written`, begun, writtenAt)
    recoveries.note(`${fault}: until the cluster has followed`, begun, restsAt)
  }

  before('they are known', async function () {
    this.timeout(15 * 60_000)
    const annotations = annotated(awakeNow())
    // Without pods, to spare the machine; the observed one has some, and is on the list's last page.
    const objects = Array.from({ length: MANAGED - 1 }, (_, index) =>
      manifest('deployments', `app-${index}`, { replicas: 0, annotations }),
    )
    await here.cluster.create(here.namespace, [
      ...objects,
      manifest('deployments', 'last-of-all', { annotations }),
    ])
    await eventually(
      'all to be known',
      async () => {
        const known = { namespace: here.namespace, kind: 'deployments', state: 'awake' }
        return sumOf(await here.dormouse.metrics(), 'dormouse_workloads', known) === MANAGED
      },
      { timeout: 10 * 60_000, pause: 1000 },
    )
  })

  // Otherwise the test would measure how long the cluster's own controllers take over so many new Deployments.
  before('the cluster is calm', async function () {
    this.timeout(15 * 60_000)
    await eventually(
      'the controllers to have followed all',
      async () => {
        const { items = [] } = await here.cluster.admin.expect('GET', here.path('deployments'))
        const deployments = items as unknown as KubectlObject[]
        return deployments.length === MANAGED && deployments.every(hasFollowed)
      },
      { timeout: 10 * 60_000, pause: 5000 },
    )
    for (const fault of ['none', 'none again']) await follows(fault, performance.now())
  })

  after(() => recoveries.print(`at ${MANAGED} workloads on ${here.cluster.name}`))

  for (const [fault, lay] of [
    ['410', () => {}],
    ['410, and again in the middle of the list', () => here.proxy.onCall({ ...LIST, nth: 5 }, refusal(410))],
    [
      '410, and the list cut in the middle',
      () => here.proxy.onCall({ ...LIST, nth: 5 }, { type: 'cut', stage: 'within' }),
    ],
  ] as const)
    it(`${fault}: a schedule changed meanwhile is followed`, async () => {
      const calls = here.proxy.calls.length
      lay()
      for (const watch of here.proxy.watches('deployments')) watch.say(EXPIRED)
      const begun = performance.now()
      const isWatch = ({ verb, resource }: Called) => verb === 'watch' && resource === 'deployments'
      const [watchedAt] = await Promise.all([called(calls, 'the watch', isWatch), follows(fault, begun)])
      recoveries.note(`${fault}: until it is watched again`, begun, watchedAt)
      const pages = here.proxy.calls.slice(calls).filter(({ verb }) => verb === 'list').length
      expect(pages, 'pages of lists').to.be.at.least(MANAGED / 500)
    })
})
