import { expect } from 'chai'
import fc from 'fast-check'
import { KINDS } from '../../src/domain/workload/workload.ts'
import { anyFault, lay } from '../faults/arbitrary-faults.ts'
import { refusal, type CallFault } from '../faults/faults.ts'
import { Recoveries } from '../faults/recoveries.ts'
import { comesToRest, patchesEnd, reschedule, type Scheduled } from '../faults/resting.ts'
import { throughFaults } from '../faults/through-faults.ts'
import { describeOn } from '../support/clusters.ts'
import { eventually, inParallel } from '../support/eventually.ts'
import { print } from '../support/figures.ts'
import { annotated, manifest } from '../support/manifests.ts'
import { testSeed } from '../support/random.ts'
import { awakeNow } from '../support/schedules.ts'

/** The fault of Dormouse's patches, and of how many in a row. */
const FAULTS: readonly (readonly [string, CallFault, number?])[] = [
  ['cut before it was sent on', { type: 'cut', stage: 'before' }],
  ['cut after it was carried out', { type: 'cut', stage: 'after' }],
  ['cut in the middle of its answer', { type: 'cut', stage: 'within' }],
  ['sent on 2 s late', { type: 'delay', stage: 'before', milliseconds: 2000 }],
  ['answered 2 s late', { type: 'delay', stage: 'after', milliseconds: 2000 }],
  ['never sent on or answered', { type: 'stall', stage: 'before' }],
  ['carried out, never answered', { type: 'stall', stage: 'after' }],
  ['half an answer, then nothing', { type: 'stall', stage: 'within' }],
  ['429, Retry-After: 1', refusal(429, { retryAfter: 1 }), 2],
  ['429 until the call is given up', refusal(429), 4],
  ['500', refusal(500), 3],
  ['503', refusal(503), 3],
  ['409', refusal(409), 3],
  ['carried out, answered 500', refusal(500, { stage: 'after' }), 2],
  ['carried out, answered 504', refusal(504, { stage: 'after' }), 2],
]
/** A fault strikes three rounds of patches: of a snooze, and of a wake and its completion. */
const MOST_PATCHES = 20

/** Random faults: workloads of each kind, waves, and faults in each. */
const [OF_EACH_KIND, ROUNDS, AT_ONCE] = [4, 4, 12]
const seed = testSeed()

describeOn('a fault between Dormouse and the API server', function (on) {
  this.timeout(120_000)
  const here = throughFaults(on, { newWorkloadGrace: '0s', backoff: { maxOperations: 19, window: '1s' } })
  const recoveries = new Recoveries()
  const workloads = FAULTS.map((_, index): Scheduled => ({
    kind: 'statefulsets',
    name: `struck-${index}`,
    count: 2,
  }))
  /** All at once, and beside the first tests: some wait for a time limit. */
  let running: Promise<void>[] = []
  const patchesOf = (name: string) =>
    here.proxy.calls.filter((called) => called.verb === 'patch' && called.name === name)

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

  after(() => recoveries.print(`patches of snooze and wake through faults on ${here.cluster.name}`))

  for (const [title, fault, times, status] of [
    ['cut before it was sent on', { type: 'cut', stage: 'before' }, 1, 200],
    ['cut after it was carried out', { type: 'cut', stage: 'after' }, 1, 200],
    ['cut in the middle of its answer', { type: 'cut', stage: 'within' }, 1, 200],
    ['answered 409 twice', refusal(409), 2, 200],
    ['answered 429 twice', refusal(429), 2, 200],
    ['answered 500', refusal(500), 1, 503],
    ['carried out and answered 500', refusal(500, { stage: 'after' }), 1, 503],
  ] as const) {
    it(`of a request whose patch is ${title}: ${status}, and again it is done once`, async () => {
      const name = `asked-${title.replaceAll(/\W+/g, '-')}`
      const workload = await here.enabled('deployments', name, { replicas: 2 })
      const laid = here.proxy.onCall({ verb: 'patch', name, times }, fault)
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
    const [title, fault, times = 1] = FAULTS[index]!
    const workload = workloads[index]!
    const where = { verb: 'patch', resource: workload.kind, name: workload.name } as const
    const felt = async (want: 'asleep' | 'awake', operations: number) => {
      const laid = here.proxy.onCall(
        { ...where, times: fault.type === 'stall' ? times : times * operations },
        fault,
      )
      await reschedule(here, workload, want)
      await laid.struck
      const rested = await comesToRest(here, workload, want, { operations })
      recoveries.note(`${title} (${want})`, laid.lastHit, rested)
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
    const rested = await comesToRest(here, workload!, 'asleep', { operations: 3 })
    recoveries.note('the Lease: 500 until it was lost', laid.lastHit, rested)
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
    const rested = await comesToRest(here, workload!, 'awake', { operations: 4 })
    recoveries.note(
      'the first calls: refused or cut',
      Math.max(...faults.map((laid) => laid.lastHit)),
      rested,
    )
  })

  describe('any of them at once', function () {
    this.timeout(180_000)
    let several: Scheduled[] = []

    before('the workloads run', async () => {
      const annotations = annotated(awakeNow())
      const names = Array.from({ length: OF_EACH_KIND }, (_, index) => `any-${index}`)
      const all = KINDS.flatMap((kind) => names.map((name) => ({ kind, name })))
      await here.cluster.create(
        here.namespace,
        all.map(({ kind, name }) => manifest(kind, name, { annotations })),
      )
      several = await inParallel(all, async ({ kind, name }) => {
        const { status } = await here.settled(kind, name)
        return { kind, name, count: kind === 'daemonsets' ? (status?.desiredNumberScheduled ?? 0) : 1 }
      })
    })

    it(`${ROUNDS} waves through ${AT_ONCE} faults each: every operation is done once`, async () => {
      print([`any faults: DORMOUSE_TEST_SEED=${seed}`])
      const rounds = fc.sample(fc.array(anyFault, { minLength: AT_ONCE, maxLength: AT_ONCE }), {
        numRuns: ROUNDS,
        seed,
      })
      for (const [round, faults] of rounds.entries()) {
        const want = round % 2 === 0 ? 'asleep' : 'awake'
        for (const fault of faults) lay(here.proxy, fault)
        await inParallel(several, (workload) => reschedule(here, workload, want))
        await inParallel(
          several,
          (workload) => comesToRest(here, workload, want, { operations: round + 1 }),
          4,
        )
      }
      await patchesEnd(here.proxy)
    })
  })
})
