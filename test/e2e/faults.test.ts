import { expect } from 'chai'
import { refusal, type CallFault } from '../faults/faults.ts'
import { comesToRest, patchesEnd, reschedule, type Scheduled } from '../faults/resting.ts'
import { throughFaults } from '../faults/through-faults.ts'
import { describeOn } from '../support/clusters.ts'
import { eventually, inParallel } from '../support/eventually.ts'
import { annotated, manifest } from '../support/manifests.ts'
import { awakeNow } from '../support/schedules.ts'

/** The fault of Dormouse's patches, and of how many in a row. */
const FAULTS: readonly (readonly [string, CallFault, number?])[] = [
  ['cut before it was sent on', { type: 'cut', stage: 'before' }],
  ['cut after it was carried out', { type: 'cut', stage: 'after' }],
  ['cut in the middle of its answer', { type: 'cut', stage: 'within' }],
  ['answered 2 s late', { type: 'delay', stage: 'after', milliseconds: 2000 }],
  ['never sent on or answered', { type: 'stall', stage: 'before' }],
  ['carried out, never answered', { type: 'stall', stage: 'after' }],
  ['429, Retry-After: 1', refusal(429, { retryAfter: 1 }), 2],
  ['500', refusal(500), 3],
  ['409', refusal(409), 3],
  ['carried out, answered 504', refusal(504, { stage: 'after' }), 2],
]
/** A fault strikes three rounds of patches: of a snooze, and of a wake and its completion. */
const MOST_PATCHES = 20

describeOn('a fault between Dormouse and the API server', function (on) {
  this.timeout(120_000)
  const here = throughFaults(on, { newWorkloadGrace: '0s', backoff: { maxOperations: 19, window: '1s' } })
  const workloads = FAULTS.map((_, index): Scheduled => ({
    kind: 'statefulsets',
    name: `struck-${index}`,
    count: 2,
  }))
  /** All at once, and beside the first tests: some wait for a time limit. */
  let running: Promise<void>[] = []
  const patchesOf = (name: string) =>
    here.proxy.calls.filter((called) => called.writes && called.name === name)

  before('the workloads run', async () => {
    const annotations = annotated(awakeNow())
    const objects = workloads.map(({ kind, name, count }) =>
      manifest(kind, name, { replicas: count, annotations }),
    )
    await here.cluster.create(here.namespace, objects)
    await inParallel(workloads, ({ kind, name }) => here.settled(kind, name))
    running = FAULTS.map((_, index) => struck(index))
    for (const each of running) each.catch(() => {})
  })

  for (const [title, fault, times, status] of [
    ['cut after it was carried out', { type: 'cut', stage: 'after' }, 1, 200],
    ['answered 409 twice', refusal(409), 2, 200],
    ['carried out and answered 500', refusal(500, { stage: 'after' }), 1, 503],
  ] as const) {
    it(`of a request whose patch is ${title}: ${status}, and again it is done once`, async () => {
      const name = `asked-${title.replaceAll(/\W+/g, '-')}`
      const workload = await here.enabled('deployments', name, { replicas: 2 })
      const laid = here.proxy.onCall({ writes: true, name, times }, fault)
      const first = await workload.attempt('POST', 'snooze')
      expect(first.status, first.text).to.equal(status)
      expect(laid.hits).to.equal(times)
      expect((await workload.snooze('?wait=60s')).is_snoozed).to.equal(true)
      await comesToRest(here, { kind: 'deployments', name, count: 2 }, 'asleep', { operations: 1 })
    })
  }

  for (const [index, [title]] of FAULTS.entries())
    it(`of a patch: ${title}: each operation is done once`, () => running[index])

  async function struck(index: number): Promise<void> {
    const [, fault, times = 1] = FAULTS[index]!
    const workload = workloads[index]!
    const where = { writes: true, resource: workload.kind, name: workload.name } as const
    const felt = async (want: 'asleep' | 'awake', operations: number) => {
      const laid = here.proxy.onCall(
        { ...where, times: fault.type === 'stall' ? times : times * operations },
        fault,
      )
      await reschedule(here, workload, want)
      await laid.struck
      await comesToRest(here, workload, want, { operations })
      laid.lift()
    }
    await felt('asleep', 1)
    await felt('awake', 2)
  }

  it('there are no endless writes', async () => {
    await patchesEnd(here.proxy)
    const most = workloads.map(({ name }) => patchesOf(name).length)
    expect(Math.max(...most), most.join()).to.be.at.most(MOST_PATCHES)
  })

  it('of the Lease: Dormouse leads again, and does what became due', async () => {
    const [workload] = workloads
    const laid = here.proxy.onCall({ verb: 'update', resource: 'leases', times: 8 }, refusal(500))
    await laid.struck
    const isLost = () => here.dormouse.log.some(({ msg }) => /leads no longer/.test(msg ?? ''))
    await eventually('the Lease to be lost', isLost)
    await reschedule(here, workload!, 'asleep')
    await comesToRest(here, workload!, 'asleep', { operations: 3 })
  })

  it('of its first calls: it is ready as soon as they are answered', async () => {
    await here.dormouse.terminate()
    const faults = [
      here.proxy.onCall({ verb: 'list', resource: 'deployments', times: 2 }, refusal(503)),
      here.proxy.onCall({ verb: 'list', resource: 'statefulsets' }, { type: 'cut', stage: 'within' }),
      here.proxy.onCall({ verb: 'list', resource: 'daemonsets', times: 2 }, refusal(429, { retryAfter: 1 })),
      here.proxy.onCall({ verb: 'watch', resource: 'replicasets', times: 2 }, refusal(500)),
      here.proxy.onCall({ resource: 'selfsubjectreviews' }, { type: 'cut', stage: 'before' }),
      here.proxy.onCall({ resource: 'leases' }, refusal(500)),
    ]
    await here.dormouse.start()
    await eventually('each to have struck', () => {
      expect(faults.map(({ hits }) => hits)).to.deep.equal([2, 1, 2, 2, 1, 1])
      return true
    })
    const [workload] = workloads
    await reschedule(here, workload!, 'awake')
    await comesToRest(here, workload!, 'awake', { operations: 4 })
  })
})
