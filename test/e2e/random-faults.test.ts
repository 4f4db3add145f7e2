import fc from 'fast-check'
import { KINDS } from '../../src/domain/workload/workload.ts'
import { anyFault, lay } from '../faults/arbitrary-faults.ts'
import { comesToRest, patchesEnd, reschedule, type Scheduled } from '../faults/resting.ts'
import { throughFaults } from '../faults/through-faults.ts'
import { describeOn } from '../support/clusters.ts'
import { inParallel } from '../support/eventually.ts'
import { print } from '../support/figures.ts'
import { annotated, manifest } from '../support/manifests.ts'
import { testSeed } from '../support/random.ts'
import { awakeNow } from '../support/schedules.ts'

const OF_EACH_KIND = 4
const ROUNDS = 4
const FAULTS = 12
const seed = testSeed()

describeOn('any faults at once', function (on) {
  this.timeout(180_000)
  const here = throughFaults(on, { newWorkloadGrace: '0s', backoff: { maxOperations: 19, window: '1s' } })
  let workloads: Scheduled[] = []

  before('the workloads run', async () => {
    const annotations = annotated(awakeNow())
    const names = Array.from({ length: OF_EACH_KIND }, (_, index) => `any-${index}`)
    const all = KINDS.flatMap((kind) => names.map((name) => ({ kind, name })))
    await here.cluster.create(
      here.namespace,
      all.map(({ kind, name }) => manifest(kind, name, { annotations })),
    )
    workloads = await inParallel(all, async ({ kind, name }) => {
      const { status } = await here.settled(kind, name)
      return { kind, name, count: kind === 'daemonsets' ? (status?.desiredNumberScheduled ?? 0) : 1 }
    })
  })

  it(`${ROUNDS} waves through ${FAULTS} faults each: every operation is done once`, async () => {
    print([`any faults: DORMOUSE_TEST_SEED=${seed}`])
    const rounds = fc.sample(fc.array(anyFault, { minLength: FAULTS, maxLength: FAULTS }), {
      numRuns: ROUNDS,
      seed,
    })
    for (const [round, faults] of rounds.entries()) {
      const want = round % 2 === 0 ? 'asleep' : 'awake'
      for (const fault of faults) lay(here.proxy, fault)
      await inParallel(workloads, (workload) => reschedule(here, workload, want))
      await inParallel(
        workloads,
        (workload) => comesToRest(here, workload, want, { operations: round + 1 }),
        4,
      )
    }
    await patchesEnd(here.proxy)
  })
})
