import { expect } from 'chai'
import { refusal, statusOf } from '../faults/faults.ts'
import { Recoveries } from '../faults/recoveries.ts'
import { comesToRest, reschedule, type Scheduled } from '../faults/resting.ts'
import { throughFaults } from '../faults/through-faults.ts'
import { describeOn } from '../support/clusters.ts'
import { eventually } from '../support/eventually.ts'
import { annotated, manifest } from '../support/manifests.ts'
import { sumOf } from '../support/metrics-text.ts'
import { awakeNow } from '../support/schedules.ts'

const MANAGED = 5000
const EXPIRED = { type: 'ERROR', object: statusOf(410) }
const LIST = { verb: 'list', resource: 'deployments' } as const

describeOn(
  `410 at ${MANAGED} workloads`,
  function (on) {
    const here = throughFaults(on, { newWorkloadGrace: '0s' })
    const recoveries = new Recoveries()
    const workload: Scheduled = { kind: 'deployments', name: 'last-of-all', count: 1 }
    let operations = 0

    before('they are known', async function () {
      this.timeout(15 * 60_000)
      const annotations = annotated(awakeNow())
      // Without pods, to spare the machine; the one that is looked at has some, and stands on the list's last page.
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

    after(() => recoveries.print(`at ${MANAGED} workloads on ${here.cluster.name}`))

    for (const [fault, lay] of [
      ['410', () => {}],
      [
        '410, and again in the middle of the list',
        () => here.proxy.onCall({ ...LIST, nth: 5 }, refusal(410)),
      ],
      [
        '410, and the list cut in the middle',
        () => here.proxy.onCall({ ...LIST, nth: 5 }, { type: 'cut', stage: 'within' }),
      ],
    ] as const)
      it(`${fault}: a schedule changed meanwhile is followed`, async () => {
        const want = operations % 2 === 0 ? 'asleep' : 'awake'
        const calls = here.proxy.calls.length
        lay()
        for (const watch of here.proxy.watches('deployments')) watch.say(EXPIRED)
        const begun = performance.now()
        await reschedule(here, workload, want)
        operations += 1
        const watched = eventually(
          'the watch',
          () =>
            here.proxy.calls
              .slice(calls)
              .some(({ verb, resource }) => verb === 'watch' && resource === 'deployments'),
          { timeout: 60_000, pause: 10 },
        ).then(() => recoveries.note(`${fault}: until it is watched again`, begun, performance.now()))
        recoveries.note(fault, begun, await comesToRest(here, workload, want, { operations }))
        await watched
        const pages = here.proxy.calls.slice(calls).filter(({ verb }) => verb === 'list').length
        expect(pages, 'pages of lists').to.be.at.least(MANAGED / 500)
      })
  },
  'real',
)
